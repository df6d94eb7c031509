import { readCsv } from '../../lib/csv.ts';
import { baseListSource } from '../../model/label.ts';
import type { NewLabel } from '../../store/labels/upsertLabels.ts';
import { readLabelHeader, readLabelRow } from './readLabelRow.ts';

const noDefaults = { chainUid: null, tags: [], source: baseListSource };

/**
 * Reads the base list: lines with `#` name sources (`# key = place`), the rest are columns of a label and `origin`, its
 * source's key. A list with a fault is not published at all.
 */
export async function readBaseLabels(text: string): Promise<NewLabel[]> {
  const lines = text.split('\n');
  const origins = new Map(
    lines.flatMap((line) => {
      const [, key, source] = /^# (\w+) = (.+)$/.exec(line) ?? [];
      return key !== undefined && source !== undefined ? [[key, source]] : [];
    }),
  );
  const rows: string[][] = [];
  for await (const read of readCsv([lines.filter((line) => !line.startsWith('#')).join('\n')]))
    rows.push(...read.map(({ cells }) => cells));
  const [header = [], ...entries] = rows;
  const columns = readLabelHeader(header.map((name) => (name === 'origin' ? 'note' : name)));
  return entries.map((cells) => {
    const origin = origins.get(cells.at(-1) ?? '');
    const label = readLabelRow(columns, cells, noDefaults);
    if ('fault' in label || origin === undefined)
      throw new Error(
        `The base list has a fault: ${cells.join(',')}: ${'fault' in label ? label.fault : 'no such origin.'}`,
      );
    return { ...label, note: `From ${origin}.` };
  });
}

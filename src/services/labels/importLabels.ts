import { isDeepStrictEqual } from 'node:util';
import { CsvError, readCsv } from '../../lib/csv.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { inSlices } from '../../lib/inSlices.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import type { Db } from '../../store/db/db.ts';
import { type LabelMember, type NewLabel, upsertLabels } from '../../store/labels/upsertLabels.ts';
import { type LabelColumn, type LabelDefaults, readLabelHeader, readLabelRow } from './readLabelRow.ts';

type LabelImport = {
  tenantId: number | null;
  defaults: LabelDefaults;
  /** Takes the good lines although others have faults. */
  isPartial: boolean;
  /** Reading stops at more of them than this, and nothing is imported. */
  maxFaults?: number;
  now: number;
  onProgress?: (lines: number) => void;
};

type LineFault = { line: number; message: string };
type ImportResult = {
  created: number;
  updated: number;
  unchanged: number;
  faultCount: number;
  /** The first of them. */
  faults: LineFault[];
};

const batchSize = 5000;
const shownFaults = 100;
/** Lines that are read before other work may have its turn. */
const linesPerTurn = 100;

/** Reads labels from CSV into the database of `db`, which must be a transaction: a faulty file is undone as a whole. */
export async function importLabels(
  db: Db,
  options: LabelImport,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<ImportResult> {
  const { maxFaults = Number.POSITIVE_INFINITY } = options;
  const result: ImportResult = { created: 0, updated: 0, unchanged: 0, faultCount: 0, faults: [] };
  let header: LabelColumn[] | undefined;
  let batch = new Map<string, NewLabel>();
  let lines = 0;

  const write = async (columns: readonly LabelColumn[]) => {
    const labels = [...batch.values()];
    batch = new Map();
    // Once a fault has been found, the rest is only read for more of them.
    if (labels.length > 0 && (options.isPartial || result.faultCount === 0)) {
      const changing = changingMembers(columns, options.defaults);
      const { created, updated } = await upsertLabels(db, options.tenantId, labels, changing, options.now);
      result.created += created;
      result.updated += updated;
      result.unchanged += labels.length - created - updated;
    }
    options.onProgress?.(lines);
  };

  for await (const rows of rowsOf(pieces)) {
    for (const { line, cells } of rows) {
      if (!header) {
        header = readLabelHeader(cells);
        continue;
      }
      lines += 1;
      if (lines % linesPerTurn === 0) await yieldToEventLoop();
      const label = readLabelRow(header, cells, options.defaults);
      if ('fault' in label) {
        result.faultCount += 1;
        if (result.faults.length < shownFaults) result.faults.push({ line, message: label.fault });
        if (result.faultCount > maxFaults) throw hopeless(result, maxFaults, line);
        continue;
      }
      collect(batch, label, result);
      if (batch.size === batchSize) await write(header);
    }
  }
  if (!header) throw unprocessable('/csv', 'header', 'The text is empty; its first line names the columns.');
  await write(header);
  if (result.faultCount > 0 && !options.isPartial) throw refused(result);
  return result;
}

async function* rowsOf(pieces: AsyncIterable<string> | Iterable<string>) {
  try {
    yield* readCsv(inSlices(pieces));
  } catch (error) {
    if (error instanceof CsvError) throw unprocessable('/csv', 'malformed', error.message);
    throw error;
  }
}

/** Members that the file lacks stay unchanged in an existing label. */
function changingMembers(columns: readonly LabelColumn[], defaults: LabelDefaults): ReadonlySet<LabelMember> {
  const members: LabelMember[] = ['name', 'tags', 'score', 'note'];
  return new Set(
    members.filter((name) => columns.includes(name) || (name === 'tags' && defaults.tags.length > 0)),
  );
}

/** A later line about the same label overrides an earlier one, also inside of a batch. */
function collect(batch: Map<string, NewLabel>, label: NewLabel, result: ImportResult): void {
  const key = `${label.chainUid ?? ''} ${label.address} ${label.source === null ? '' : `=${label.source}`}`;
  const earlier = batch.get(key);
  if (earlier) result[isDeepStrictEqual(earlier, label) ? 'unchanged' : 'updated'] += 1;
  batch.set(key, label);
}

function refused({ faultCount, faults }: ImportResult): Problem {
  const more = faultCount > faults.length ? ` The first ${faults.length} are listed.` : '';
  const words = faultCount === 1 ? 'line has a fault' : 'lines have faults';
  return withLines(`${faultCount} ${words}, so nothing was imported.${more}`, faults);
}

/** A text with so many faults is not the one that was meant, and costs as much as a good one. */
function hopeless({ faults }: ImportResult, maxFaults: number, line: number): Problem {
  return withLines(
    `More than ${maxFaults.toLocaleString('en-US')} lines have faults, so reading stopped at line ${line} and nothing was imported. ` +
      `The first ${faults.length} are listed.`,
    faults,
  );
}

function withLines(detail: string, faults: readonly LineFault[]): Problem {
  return new Problem('unprocessable', detail, {
    errors: faults.map(({ line, message }) => ({
      pointer: '/csv',
      code: 'line',
      message: `Line ${line}: ${message}`,
    })),
  });
}

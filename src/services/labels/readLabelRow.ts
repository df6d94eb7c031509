import { type ChainUid, chainUids } from '../../chains/chains.ts';
import { nameFault } from '../../lib/nameFault.ts';
import { nearest } from '../../lib/nearest.ts';
import { zip } from '../../lib/zip.ts';
import { unprocessable } from '../../model/errors.ts';
import type { NewLabel } from '../../store/labels/upsertLabels.ts';
import { readLabelAddress, toLabelTags } from './labelMembers.ts';

const columns = ['address', 'chainUid', 'name', 'tags', 'score', 'source', 'note'] as const;
export type LabelColumn = (typeof columns)[number];
type Cells = Partial<Record<LabelColumn, string>>;

/** Values for columns that a line leaves out. */
export type LabelDefaults = {
  chainUid: ChainUid | null;
  tags: readonly string[];
  source: string | null;
};

/** The columns that the first line names, in their order. */
export function readLabelHeader(cells: readonly string[]): LabelColumn[] {
  const names = cells.map((cell) => {
    const name = cell.trim();
    const match = columns.find((column) => column.toLowerCase() === name.toLowerCase());
    if (match) return match;
    const guess = nearest(name, columns);
    throw header(
      `'${name.slice(0, 40)}' is not a column${guess ? `; did you mean ${guess}?` : '.'} The first line names the columns: ${columns.join(', ')}.`,
    );
  });
  if (new Set(names).size < names.length) throw header('The first line names a column twice.');
  if (!names.includes('address')) throw header('The first line must name the column address.');
  return names;
}

/** The label of a line, or what is wrong with it. */
export function readLabelRow(
  header: readonly LabelColumn[],
  texts: readonly string[],
  defaults: LabelDefaults,
): NewLabel | { fault: string } {
  if (texts.length !== header.length) {
    return { fault: `has ${texts.length} cells where the first line names ${header.length} columns.` };
  }
  const cells: Cells = {};
  for (const [name, cell] of zip(header, texts)) {
    const text = cell.trim();
    if (text.length > limits[name]) return { fault: `${name} has more than ${limits[name]} characters.` };
    if (text.includes('\u0000')) return { fault: `${name} must not contain the character U+0000.` };
    const fault = name === 'name' ? nameFault(text) : undefined;
    if (fault !== undefined) return { fault: `name ${fault}` };
    if (text !== '') cells[name] = name === 'name' ? text.normalize('NFC') : text;
  }
  return toLabel(cells, defaults);
}

const limits: Readonly<Record<LabelColumn, number>> = {
  address: 200,
  chainUid: 50,
  name: 200,
  tags: 2000,
  score: 10,
  source: 200,
  note: 10_000,
};

function toLabel(cells: Cells, defaults: LabelDefaults): NewLabel | { fault: string } {
  const chainUid = cells.chainUid === undefined ? defaults.chainUid : readChainUid(cells.chainUid);
  if (chainUid === undefined) return { fault: `chainUid: there is no chain '${cells.chainUid}'.` };
  if (cells.address === undefined) return { fault: 'address is missing.' };
  const read = readLabelAddress(cells.address, chainUid);
  if ('fault' in read) return { fault: `address: ${read.fault}` };
  const score = cells.score ?? '100';
  if (!/^\d{1,3}$/.test(score) || Number(score) > 100) {
    return { fault: 'score must be a whole number from 0 to 100.' };
  }
  return {
    chainUid,
    address: read.canonical,
    name: cells.name ?? null,
    tags: toLabelTags([cells.tags ?? '', ...defaults.tags]),
    score: Number(score),
    source: cells.source ?? defaults.source,
    note: cells.note ?? null,
  };
}

export function readChainUid(text: string): ChainUid | undefined {
  return chainUids.find((uid) => uid === text);
}

function header(message: string) {
  return unprocessable('/csv', 'header', message);
}

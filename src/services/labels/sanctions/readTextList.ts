import { readCsv } from '../../../lib/csv.ts';
import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { findAddresses } from './findAddresses.ts';
import { ListError, type ListedAddress, type ListFormat, type Listing } from './listedAddress.ts';

type Row = { line: number; cells: string[] };

type TextList = ListFormat & {
  separator: string;
  /** True if the first lines are those of this list. */
  isOf(head: string): boolean;
  /** Made for every file, since the first row may name the columns. */
  createReader(): (row: Row) => Listing;
};

/** The lists that are published as lines, the first that fits. */
const lists: readonly TextList[] = [
  {
    title: 'OFAC SDN (CSV)',
    source: 'OFAC SDN',
    separator: ',',
    isOf: (head) => /^\d+ ?,/.test(head),
    createReader: () => readSdnRow,
  },
  {
    title: 'EU consolidated list (CSV)',
    source: 'EU consolidated list',
    separator: ';',
    isOf: (head) => head.includes('Entity_EU_ReferenceNumber'),
    createReader: () =>
      createTableReader({
        header: 'Entity_EU_ReferenceNumber',
        reference: ['Entity_EU_ReferenceNumber'],
        name: ['NameAlias_WholeName'],
        program: ['Entity_Regulation_Programme'],
      }),
  },
  {
    title: 'UK sanctions list (CSV)',
    source: 'UK sanctions list',
    separator: ',',
    isOf: (head) => /(?:^|,)"?Name 6"?,/m.test(head),
    createReader: () =>
      createTableReader({
        header: 'Name 6',
        reference: ['Unique ID', 'Group ID'],
        name: ['Name 1', 'Name 2', 'Name 3', 'Name 4', 'Name 5', 'Name 6'],
        program: ['Regime Name', 'Regime'],
      }),
  },
  {
    title: 'addresses (text)',
    source: 'Sanctioned addresses',
    separator: '\n',
    isOf: () => true,
    createReader: () => readPlainRow,
  },
];

/** Reads a list that has one entry a line; `head` are its first lines. */
export async function* readTextList(
  pieces: AsyncIterable<string>,
  head: string,
  onFormat: (format: ListFormat) => void,
): AsyncGenerator<ListedAddress> {
  const list = lists.find(({ isOf }) => isOf(head));
  if (!list) return;
  onFormat(list);
  const read = list.createReader();
  for await (const rows of readCsv(pieces, list.separator))
    for (const row of rows) {
      await yieldToEventLoop();
      yield* read(row);
    }
}

/** Twelve columns without names: number, name, type, programs, …, remarks. */
function* readSdnRow({ line, cells }: Row): Generator<ListedAddress> {
  // The file ends with the character that once ended files.
  if (cells.length === 1 && cells[0]?.trim() === '\u001a') return;
  if (cells.length < 12)
    throw new ListError(`Line ${line}: has ${cells.length} columns where the list has 12.`);
  const [reference = '', name = '', , programText = ''] = cells.map((cell) =>
    cell.trim() === '-0-' ? '' : cell.trim(),
  );
  const programs = programText.split(/[\][]+/).map((program) => program.trim());
  const matches = (cells[11] ?? '').matchAll(/Digital Currency Address - (\w+) ([^\s;]+)/g);
  for (const [, currency = '', address = ''] of matches)
    yield { at: `Line ${line}`, address: address.replace(/\.$/, ''), currency, name, reference, programs };
}

type Columns = {
  header: string;
  reference: readonly string[];
  name: readonly string[];
  program: readonly string[];
};

/** A table that names its columns, perhaps after a line with its date, and has addresses in what people wrote. */
function createTableReader({ header, reference, name, program }: Columns): (row: Row) => Listing {
  let columns: readonly string[] | undefined;
  return async function* ({ line, cells }) {
    if (!columns) {
      const names = cells.map((cell) => cell.trim());
      if (names.includes(header)) columns = names;
      else if (line > maxBanner) throw new ListError(`Line ${line}: the column '${header}' is missing.`);
      return;
    }
    const known = columns;
    let entry: Omit<ListedAddress, 'address'> | undefined;
    const cell = (wanted: string) => cells[known.indexOf(wanted)]?.trim() ?? '';
    for await (const address of findAddresses(cells.join('\n'))) {
      entry ??= {
        at: `Line ${line}`,
        name: name.map(cell).filter(Boolean).join(' '),
        reference: reference.map(cell).find(Boolean) ?? '',
        programs: program.map(cell),
      };
      yield { ...entry, address };
    }
  };
}

const maxBanner = 5;

function readPlainRow({ line, cells }: Row): ListedAddress[] {
  const address = cells[0]?.replace(/#.*$/, '').trim() ?? '';
  return address === '' ? [] : [{ at: `Line ${line}`, address }];
}

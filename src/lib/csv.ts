export type CsvRow = {
  /** The line of the text on which the row begins, counted from 1. */
  line: number;
  cells: string[];
};

export class CsvError extends Error {
  override readonly name = 'CsvError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`);
    this.line = line;
  }
}

/** Rows of comma-separated text (RFC 4180) that comes in pieces, as many at a time as a piece completes. */
export async function* readCsv(
  pieces: AsyncIterable<string> | Iterable<string>,
  separator = ',',
): AsyncGenerator<CsvRow[]> {
  let rest = '';
  let line = 1;
  let isFirst = true;
  for await (const piece of pieces) {
    const text = rest + (isFirst && piece.startsWith('\ufeff') ? piece.slice(1) : piece);
    isFirst = false;
    const read = readRows(text, line, separator);
    ({ rest, line } = read);
    yield read.rows;
  }
  const last = readRows(`${rest}\n`, line, separator);
  if (last.rest !== '') throw new CsvError(last.line, 'the quoted text that begins here is not closed.');
  yield last.rows;
}

/** Keeps a quote that is never closed from being read again and again, and from filling the memory. */
const maxRow = 100_000;

function readRows(
  text: string,
  firstLine: number,
  separator: string,
): { rows: CsvRow[]; rest: string; line: number } {
  const rows: CsvRow[] = [];
  let line = firstLine;
  let start = 0;
  let quote = text.indexOf('"');
  for (;;) {
    const newline = text.indexOf('\n', start);
    if (quote !== -1 && quote < start) quote = text.indexOf('"', start);
    const isPlain = quote === -1 || (newline !== -1 && quote > newline);
    const end = newline === -1 || isPlain ? newline : endOfRow(text, start);
    if ((end === -1 ? text.length : end) - start > maxRow) {
      throw new CsvError(
        line,
        `the row has more than ${maxRow.toLocaleString('en-US')} characters; a quote is probably not closed.`,
      );
    }
    if (end === -1) return { rows, rest: text.slice(start), line };
    const row = text.slice(start, text[end - 1] === '\r' ? Math.max(start, end - 1) : end);
    if (row !== '')
      rows.push({ line, cells: isPlain ? row.split(separator) : readCells(row, line, separator) });
    line += isPlain ? 1 : countLines(row);
    start = end + 1;
  }
}

/** The line break that is outside of quotes, or -1 when the row is not complete yet; a quote inside is written twice. */
function endOfRow(text: string, start: number): number {
  let isQuoted = false;
  for (let index = start; index < text.length && index - start <= maxRow; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22) isQuoted = !isQuoted;
    else if (code === 0x0a && !isQuoted) return index;
  }
  return -1;
}

function countLines(row: string): number {
  return row.split('\n').length;
}

function readCells(row: string, line: number, separator: string): string[] {
  const cells: string[] = [];
  let index = 0;
  for (;;) {
    let cell = '';
    if (row[index] === '"') {
      index += 1;
      for (;;) {
        const quote = row.indexOf('"', index);
        if (quote === -1) throw new CsvError(line, 'a quoted text is not closed.');
        cell += row.slice(index, quote);
        index = quote + 1;
        if (row[index] !== '"') break;
        cell += '"';
        index += 1;
      }
      if (index < row.length && row[index] !== separator) {
        throw new CsvError(
          line,
          'text follows a closing quote; a quote inside of quoted text is written twice.',
        );
      }
    } else {
      const next = row.indexOf(separator, index);
      const end = next === -1 ? row.length : next;
      cell = row.slice(index, end);
      index = end;
    }
    cells.push(cell);
    if (index >= row.length) return cells;
    index += 1;
  }
}

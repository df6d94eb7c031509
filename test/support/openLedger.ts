import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Json } from '../../testing/startTestApi.ts';

/** What was acknowledged of one record: its whole answer, or that it is gone. */
export type Acknowledged = { path: string; id: number; record: Json | null };

/** The supervisor's own book, outside of Vigil: a line is on the disk before the next request is sent. */
export function openLedger(file: string) {
  const fd = openSync(file, 'ax');
  const remembered = new Map<string, Json | null>();
  let length = 0;
  return {
    note(lines: readonly Acknowledged[]): void {
      for (const { path, id, record } of lines) remembered.set(`${path}/${id}`, record);
      length += lines.length;
      writeSync(fd, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      fdatasyncSync(fd);
    },
    length: () => length,
    /** The last word on one record. */
    lastOf: (name: string) => remembered.get(name),
    /** The last word on each record, of the lines from `since` on; read from the file, not remembered. */
    read(since = 0): Map<string, Acknowledged> {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      const last = new Map<string, Acknowledged>();
      for (const line of lines.slice(since)) {
        const noted: Acknowledged = JSON.parse(line);
        last.set(`${noted.path}/${noted.id}`, noted);
      }
      return last;
    },
    close: () => closeSync(fd),
  };
}

export type Ledger = ReturnType<typeof openLedger>;

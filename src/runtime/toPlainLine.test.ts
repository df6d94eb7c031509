import { expect, it } from 'vitest';
import { toPlainLine } from './toPlainLine.ts';

const lineOf = (members: object) =>
  toPlainLine(JSON.stringify({ level: 30, time: '2026-01-31T12:04:31.000Z', ...members })).slice(8);

it('shows a line of the log as text, with what an error says and without its stack', () => {
  expect(lineOf({ msg: 'Stopped' })).toBe(' Stopped\n');
  const err = { type: 'Error', message: 'Connection terminated', stack: 'Error: x\n at y' };
  expect(lineOf({ level: 40, err, attempts: 2, msg: 'It failed' })).toBe(
    ' warn: It failed (err: Connection terminated, attempts: 2)\n',
  );
});

it('lets nothing that others wrote move the cursor, break the line or turn it around', () => {
  expect(lineOf({ msg: 'a\u001b[2Jb\nc', symbol: 'x\u202ey' })).toBe(' a [2Jb c (symbol: x y)\n');
});

import { expect, it } from 'vitest';
import { createTextWriter } from './createTextWriter.ts';

it('keeps short texts a string', () => {
  const { write, end } = createTextWriter();
  for (const text of ['{"a":"', '日本 🙂', '"}']) write(text);
  expect(end()).toBe('{"a":"日本 🙂"}');
});

it('makes long ones pieces of UTF-8 that together are the same', () => {
  const texts = Array.from({ length: 5000 }, (_, n) => `${n} ${'é🙂日'.repeat(n % 50)},`);
  const { write, end } = createTextWriter();
  for (const text of texts) write(text);
  const pieces = end() as Buffer[];
  expect(pieces.length).toBeGreaterThan(2);
  expect(Buffer.concat(pieces).toString()).toBe(texts.join(''));
});

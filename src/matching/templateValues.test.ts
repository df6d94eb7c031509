import { expect, it } from 'vitest';
import { templateValues } from './templateValues.ts';

it('makes texts of strangers harmless at every depth, and leaves those of the settings', () => {
  expect(
    templateValues(
      { a: '<b>', b: { '*c*': ['@d'] }, url: 'https://own.example.com' },
      {
        url: 'https://own.example.com',
      },
    ),
  ).toEqual({ a: '‹b›', b: { '∗c∗': ['(at)d'] }, url: 'https://own.example.com' });
});

it('shows the beginning of what no one could read whole, and says that something is left out', () => {
  const started = process.cpuUsage();
  const list = Array.from({ length: 200_000 }, (_, n) => `text ${n}`);
  const {
    list: shown,
    record,
    after,
  } = templateValues(
    { list, record: Object.fromEntries(list.map((text) => [text, text])), after: 'kept' },
    undefined,
  );
  expect((shown as string[]).slice(0, 2)).toEqual(['text 0', 'text 1']);
  expect((shown as string[]).at(-1)).toBe('…');
  expect((shown as string[]).length).toBeLessThanOrEqual(1001);
  expect(Object.keys(record as object).length).toBeLessThanOrEqual(1001);
  expect(after).toBe('kept');
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(1_000);
});

import { expect, it } from 'vitest';
import { templateFaults } from './templateFaults.ts';

it('names the first faults of a template that has thousands, however many members an alert has', () => {
  const names = Array.from({ length: 50_000 }, (_, n) => `member${n}`);
  const started = process.cpuUsage();
  const faults = templateFaults(
    Array.from({ length: 1_000 }, (_, n) => `{membre${n}}`).join(''),
    names,
    '/template',
  );
  expect(faults.map(({ message }) => message.split(' ')[0])).toEqual(
    Array.from({ length: 10 }, (_, n) => `{membre${n}}`),
  );
  expect(faults.every(({ message }) => message.length < 5_000 && message.includes('more'))).toBe(true);
  expect(templateFaults('{member7.deeper.still} {member49999}', names, '/template')).toEqual([]);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(1_000);
});

it('knows a member below one whose own name has dots', () => {
  expect(templateFaults('{a.b.c}', ['a.b'], '/template')).toEqual([]);
  expect(templateFaults('{a.c}', ['a.b'], '/template')).toMatchObject([{ code: 'unknown-member' }]);
});

import { expect, it } from 'vitest';
import { filled, flag, integer, isoTime, list, millis, oneOf, orNull, record, text } from './memberRules.ts';

it('a rule finds a missing, a foreign and a wrong member, however deep', () => {
  const rule = record({ id: integer, on: flag, items: list(record({ name: orNull(text) })) });
  expect(rule({ id: 1, on: true, items: [{ name: null }, { name: 'x' }] })).toEqual([]);
  expect(rule({ id: '1', items: [{ name: 2, more: 1 }], other: null })).toEqual([
    '/on is missing',
    '/other is not in docs/api-spec.md',
    '/id is not an integer: "1"',
    '/items/0/more is not in docs/api-spec.md',
    '/items/0/name is not a string: 2',
  ]);
  expect(rule(null)).toEqual([' is not an object: null']);
});

it.each([
  [millis, 1_794_700_800],
  [millis, '1794700800000'],
  [isoTime, '2026-11-15T00:00:00+01:00'],
  [isoTime, 1_794_700_800_000],
  [integer, 1.5],
  [text, null],
  [oneOf('A', 'B'), 'a'],
  [filled(text), []],
  [list(text), {}],
])('rule %# refuses %j', (rule, value) => {
  expect(rule(value)).toHaveLength(1);
});

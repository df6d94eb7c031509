import { expect, it } from 'vitest';
import { keep } from './samples.ts';

it('keeps a state only when it differs, whatever the order of its members', () => {
  expect(keep({ a: '1', b: ['x'] }, { b: ['x'], a: '1' })).toEqual({});
  expect(keep({ a: '1' }, { a: '2' })).toEqual({ state: { a: '2' } });
  expect(keep(undefined, { a: '2' })).toEqual({ state: { a: '2' } });
  expect(keep(undefined, {})).toEqual({});
  expect(keep<object>({ a: '1' }, {})).toEqual({ state: {} });
});

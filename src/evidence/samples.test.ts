import { expect, it } from 'vitest';
import { keepState } from './samples.ts';

it('keeps a state only when it differs, whatever the order of its members', () => {
  expect(keepState({ a: '1', b: ['x'] }, { b: ['x'], a: '1' })).toEqual({});
  expect(keepState({ a: '1' }, { a: '2' })).toEqual({ state: { a: '2' } });
  expect(keepState(undefined, { a: '2' })).toEqual({ state: { a: '2' } });
  expect(keepState(undefined, {})).toEqual({});
  expect(keepState<object>({ a: '1' }, {})).toEqual({ state: {} });
});

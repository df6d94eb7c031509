import { expect, it } from 'vitest';
import { parseDecimal } from '../lib/decimal.ts';
import { judgeSample } from './samples.ts';

const minute = 60_000;

/** What is reported of values that are looked at every minute: + at a beginning, ~ again, - at the end. */
function reports(
  settings: { condition: string; repeat: string; reportEnd: boolean },
  values: string,
): string {
  let state = {};
  return values
    .split(' ')
    .map((value, index) => {
      const judged = judgeSample(settings, parseDecimal(value), (index + 1) * minute, state);
      state = judged.after;
      if (judged.ends) return '-';
      if (!judged.fires) return '.';
      return judged.isAgain ? '~' : '+';
    })
    .join('');
}

it('a condition on a value is reported when it begins to hold and when it ends', () => {
  const once = { condition: '> 20', repeat: 'once', reportEnd: true };
  expect(reports(once, '10 25 25 30 21 20 7 25 19')).toBe('.+...-.+-');
  expect(reports({ ...once, reportEnd: false }, '10 25 25 30 21 20 7 25 19')).toBe('.+.....+.');
});

it('a condition on a value is reported again after the time that is asked for, or at every look', () => {
  const values = '25 25 25 25 25 25 19 25';
  expect(reports({ condition: '> 20', repeat: '2 min', reportEnd: true }, values)).toBe('+.~.~.-+');
  expect(reports({ condition: '> 20', repeat: 'every look', reportEnd: true }, values)).toBe('++++++-+');
  expect(reports({ condition: '> 20', repeat: 'every look', reportEnd: false }, values)).toBe('++++++.+');
});

it('a condition that says itself that it is reported once is, and a change has no end', () => {
  const every = { repeat: 'every look', reportEnd: true };
  expect(reports({ ...every, condition: '>> 20' }, '25 25 19 25')).toBe('+.-+');
  expect(reports({ ...every, repeat: 'once', condition: '> 10%' }, '10 12 14 14 20')).toBe('.++.+');
  expect(reports({ ...every, repeat: 'once', condition: '++2' }, '10 12 14 14 20')).toBe('.++.+');
});

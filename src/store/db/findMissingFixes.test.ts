import { expect, it } from 'vitest';
import { findMissingFixes } from './findMissingFixes.ts';

it.each(['18.4', '17.10', '16.14', '15.18'])('knows that %s lacks fixes', (release) => {
  expect(findMissingFixes(release)).toMatch(`PostgreSQL ${release} lacks the security fixes of`);
});

it.each(['18.6', '18.10', '17.11', '16.15', '15.19', '19.0', '19beta3', '14.1'])(
  'says nothing of %s, which has them or is not listed',
  (release) => {
    expect(findMissingFixes(release)).toBeUndefined();
  },
);

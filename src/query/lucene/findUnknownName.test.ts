import { describe, expect, it } from 'vitest';
import { findUnknownName } from './findUnknownName.ts';
import { createMapping } from './mapping.ts';
import { parseQuery } from './parseQuery.ts';

const mapping = createMapping({
  severity: 'keyword',
  name: 'text',
  'name.keyword': 'keyword',
  chainUid: 'keyword',
  meta: 'dynamic',
});
const values = new Map([['severity', ['LOW', 'HIGH']]]);
const mistake = (query: string) => findUnknownName(parseQuery(query), mapping, values)?.message;

describe('findUnknownName', () => {
  it.each([
    'severity:HIGH',
    'severity:(LOW HIGH)',
    'severity:"LOW"',
    'severity:H*',
    'severity:>A',
    'severity:[A TO Z]',
    'name:whatever name.keyword:"What ever"',
    'a word',
    '*',
    '*:*',
    'name:*',
    'meta.a.b:5',
    'meta.a.keyword:x',
    'meta.\\*:5',
    'na\\*:5',
    '_exists_:meta',
    '_exists_:name',
    '_exists_:"na*"',
    'chainUid:my_own_chain',
  ])('finds nothing wrong with %s', (query) => {
    expect(mistake(query)).toBeUndefined();
  });

  it.each([
    ['severty:HIGH', "did you mean 'severity'?"],
    ['chainuid:x', "did you mean 'chainUid'?"],
    ['severity.keyword:HIGH', "did you mean 'severity'?"],
    ['name.keywrd:x', "did you mean 'name.keyword'?"],
    ['met.amount:5', "did you mean 'meta.amount'?"],
    ['meta:5', "such as 'meta.amount'."],
    ['zzzzzz:5', "there is no member 'zzzzzz'."],
    ['z\\*:5', "there is no member 'z*'."],
    ['zzzzzz:*', "there is no member 'zzzzzz'."],
    ['_exists_:severty', "did you mean 'severity'?"],
    ['name:x AND (name:y OR NOT severty:[1 TO 2])', "did you mean 'severity'?"],
    ['severty:/a/', "did you mean 'severity'?"],
    ['severity:HIHG', "did you mean 'HIGH'? There are LOW, HIGH."],
    ['severity:high', "did you mean 'HIGH'?"],
    ['-severity:"worst of all"', 'one of LOW, HIGH.'],
    ['severity:(LOW OR HIHG)', "did you mean 'HIGH'?"],
  ])('says of %s: %s', (query, words) => {
    expect(mistake(query)).toContain(words);
  });
});

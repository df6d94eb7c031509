import { describe, expect, it } from 'vitest';
import { join, raw, render, renderCached, sql } from './sql.ts';

describe('renderKnown', () => {
  const statement = (a: unknown, b: unknown) => sql`select ${a} from ${b}`;
  const named = (names: readonly string[]) =>
    sql`select ${join(
      names.map((name) => sql`${raw(name)} = ${name}`),
      ' and ',
    )}`;

  it('gives the text and the values of render, the first time and every time after', () => {
    for (let round = 0; round < 3; round++) {
      for (const one of [statement(1, 2), statement('x', null), named(['a', 'b']), named(['a']), named([])])
        expect(renderCached(one)).toEqual(render(one));
    }
  });

  it('distinguishes statements of one template by what is bound and what is SQL', () => {
    expect(renderCached(statement(raw('t'), 1)).text).toBe('select t from $1');
    expect(renderCached(statement(1, raw('t'))).text).toBe('select $1 from t');
    expect(renderCached(statement(raw('t'), raw('u'))).text).toBe('select t from u');
    expect(renderCached(statement(raw('u'), raw('t'))).text).toBe('select u from t');
  });

  it('distinguishes lists that differ only in where their parts end', () => {
    const list = (separator: string) => join([sql`a${1}`, sql`b${2}`], separator);
    for (const separator of [',', ', ', ' ,', ',  '])
      expect(renderCached(list(separator))).toEqual(render(list(separator)));
  });
});

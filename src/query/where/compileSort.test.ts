import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareNumbers, compareText, type Json } from '../../../test/support/whereOracle.ts';
import type { Thing } from '../../../test/support/whereRecords.ts';
import { createWhereWorld, type WhereWorld } from '../../../test/support/whereWorld.ts';
import { createRandom } from '../../../testing/createRandom.ts';
import { render, sql } from '../../lib/sql.ts';
import { Problem } from '../../model/errors.ts';
import { compileSort, type WhereSortItem } from './compileSort.ts';

const tieBreaker = sql`t.id asc`;
const random = createRandom('sort');

let world: WhereWorld;
let things: Thing[];
beforeAll(async () => {
  world = await createWhereWorld();
  things = await world.refill(random, 200);
});
afterAll(() => world.close());

describe('compileSort', () => {
  it('gives the tie-breaker alone when nothing is asked for', () => {
    expect(render(compileSort(undefined, world.catalogue, tieBreaker)).text).toBe('t.id asc');
  });

  it.each([
    'name',
    'score',
    'amount',
    'active',
    'tags',
    'counts',
    'schema.name',
    'schema.version',
    'schema.flags',
  ])(
    'sorts by %s both ways: nulls last, text by code point, lists by their least or greatest item, ties by id',
    async (field) => {
      for (const order of ['asc', 'desc'] as const) {
        const expected = things.toSorted(
          (a, b) => byField(a, b, field, order === 'desc') || Number(a.id) - Number(b.id),
        );
        for (const item of [
          { field, order },
          { field, direction: order },
          { field, order, direction: order },
        ]) {
          const found = await world.sorted(compileSort([item], world.catalogue, tieBreaker));
          expect(found, `SEED=${random.seed}`).toEqual(expected.map(({ id }) => Number(id)));
        }
      }
    },
  );

  it('ascends by default and sorts by several fields in their order', async () => {
    const sort = [{ field: 'active' }, { field: 'name', order: 'desc' }] as const;
    const expected = things.toSorted(
      (a, b) => byField(a, b, 'active', false) || byField(a, b, 'name', true) || Number(a.id) - Number(b.id),
    );
    const found = await world.sorted(compileSort(sort, world.catalogue, tieBreaker));
    expect(found, `SEED=${random.seed}`).toEqual(expected.map(({ id }) => Number(id)));
  });

  it('takes any number of items, for a field named again changes nothing', async () => {
    const sort = Array.from(
      { length: 5000 },
      (_, index): WhereSortItem => ({ field: 'name', order: index === 0 ? 'desc' : 'asc' }),
    );
    const once = compileSort(sort.slice(0, 1), world.catalogue, tieBreaker);
    expect(render(compileSort(sort, world.catalogue, tieBreaker))).toEqual(render(once));
    expect(await world.sorted(once)).toHaveLength(200);
  });

  it.each<[string, WhereSortItem[], string, string]>([
    ['an unknown field', [{ field: 'id' }, { field: 'nmae' }], '/sort/1/field', "did you mean 'name'?"],
    [
      'a name of Object.prototype',
      [{ field: '__proto__' }],
      '/sort/0/field',
      "there is no field '__proto__'",
    ],
    ['an empty name', [{ field: '' }], '/sort/0/field', "there is no field ''"],
    ['SQL text', [{ field: 'id; drop table thing' }], '/sort/0/field', 'there is no field'],
    ['an object', [{ field: 'schema' }], '/sort/0/field', "'schema' has no order"],
    ['a list of objects', [{ field: 'parts' }], '/sort/0/field', "'parts' has no order"],
    [
      'a member of a list of objects',
      [{ field: 'parts.label' }],
      '/sort/0/field',
      "'parts.label' has no order",
    ],
    ['JSON', [{ field: 'config.a' }], '/sort/0/field', "'config.a' has no order"],
    ['a path below a value', [{ field: 'name.x' }], '/sort/0/field', "'name' is a plain value"],
    [
      'two directions',
      [{ field: 'id', order: 'asc', direction: 'desc' }],
      '/sort/0/field',
      'both asc and desc',
    ],
    ['an empty list', [], '/sort', 'at least one field'],
  ])('refuses %s', (_, sort, pointer, message) => {
    const problem = refusal(sort);
    expect(problem.message).toContain(message);
    expect(problem).toMatchObject({ code: 'invalid-input', members: { errors: [{ pointer }] } });
  });
});

function refusal(sort: WhereSortItem[]): Problem {
  try {
    compileSort(sort, world.catalogue, tieBreaker);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('The sort was accepted');
}

function byField(a: Thing, b: Thing, field: string, descending: boolean): number {
  const [left, right] = [a, b].map((thing) => toKey(thing, field.split('.'), descending));
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined);
  return descending ? byValue(right, left) : byValue(left, right);
}

type Key = string | number | boolean;

function toKey(value: Json, [name, ...rest]: string[], descending: boolean): Key | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    const keys = value.map((item) => toKey(item, [], descending)).filter((key) => key !== undefined);
    return keys.sort((a, b) => (descending ? byValue(b, a) : byValue(a, b)))[0];
  }
  if (typeof value !== 'object') return value;
  return name === undefined ? undefined : toKey(value[name] ?? null, rest, descending);
}

function byValue(left: Key, right: Key): number {
  if (typeof left === 'boolean' || typeof right === 'boolean') return Number(left) - Number(right);
  const areNumbers = [left, right].every((key) => typeof key === 'number' || integerPattern.test(key));
  return areNumbers ? compareNumbers(String(left), String(right)) : compareText(String(left), String(right));
}

const integerPattern = /^-?\d+$/;

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomClause, write } from '../../../test/support/whereClauses.ts';
import { type Clause, evaluate } from '../../../test/support/whereOracle.ts';
import { texts } from '../../../test/support/whereRecords.ts';
import { createWhereWorld, type WhereWorld } from '../../../test/support/whereWorld.ts';
import { createRandom } from '../../../testing/createRandom.ts';
import { sized } from '../../../testing/proveSize.ts';
import { sql } from '../../lib/sql.ts';
import type { Catalogue } from './catalogue.ts';
import { compileWhere } from './compileWhere.ts';

const rounds = sized(5, 20);
const clausesPerRound = 100;

let world: WhereWorld;
beforeAll(async () => {
  world = await createWhereWorld();
});
afterAll(() => world.close());

describe('a where clause in PostgreSQL', () => {
  it('finds exactly the records for which an independent evaluation says TRUE', async () => {
    const random = createRandom('where differential');
    const outcomes = { none: 0, some: 0, all: 0 };
    for (let round = 0; round < rounds; round++) {
      const things = await world.refill(random, 40);
      for (let count = 0; count < clausesPerRound; count++) {
        const clause = randomClause(random, world.shape);
        const text = write(clause, random);
        const expected = things.filter((thing) => evaluate(clause, thing, world.shape) === true);
        const { condition } = compileWhere(text, world.catalogue);
        const found = await world.ids(condition ?? sql`true`);
        expect(found, `SEED=${random.seed} ${text}`).toEqual(expected.map(({ id }) => Number(id)));
        outcomes[found.length === 0 ? 'none' : found.length === things.length ? 'all' : 'some']++;
      }
    }
    // Clauses that found nothing at all would prove little.
    expect(outcomes.some, JSON.stringify(outcomes)).toBeGreaterThan((rounds * clausesPerRound) / 3);
  });

  it('finds by LIKE, ILIKE, order and equality what the code points say, whatever the collation', async () => {
    const random = createRandom('where texts');
    const things = await world.refill(random, 400);
    for (const text of texts) {
      const path = ['name'];
      const clauses: Clause[] = [
        { type: 'like', path, negated: false, ignoreCase: true, pattern: text, escapeCharacter: '!' },
        { type: 'like', path, negated: true, ignoreCase: false, pattern: text, escapeCharacter: '!' },
        { type: 'compare', path, operator: '<', value: text },
        { type: 'compare', path, operator: '=', value: text },
      ];
      for (const clause of clauses) {
        const expected = things.filter((thing) => evaluate(clause, thing, world.shape) === true);
        const written = write(clause, random);
        const found = await world.ids(compileWhere(written, world.catalogue).condition!);
        expect(found, `SEED=${random.seed} ${written}`).toEqual(expected.map(({ id }) => Number(id)));
      }
    }
  });

  it('compares JSON numbers exactly, beyond what a double holds', async () => {
    const value = '12345678901234567890.12345678901234567890';
    const config = sql`${`{"n": ${value}}`}::jsonb`;
    const catalogue: Catalogue = {
      config: { type: 'json', column: config },
      n: { type: 'number', column: sql`(${config} -> 'n')::numeric` },
    };
    await world.refill(createRandom('one record'), 1);
    const finds = async (text: string) =>
      (await world.ids(compileWhere(text, catalogue).condition!)).length === 1;
    for (const field of ['n', 'config.n']) {
      expect(await finds(`${field} = ${value}`)).toBe(true);
      expect(await finds(`${field} = ${value}1`)).toBe(false);
      expect(await finds(`${field} < ${value}1`)).toBe(true);
      expect(await finds(`${field} <> 12345678901234567890.12345678901234567891`)).toBe(true);
      expect(await finds(`${field} in (1, ${value}00)`)).toBe(true);
    }
  });
});

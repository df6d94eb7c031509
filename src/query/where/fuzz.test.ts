import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomClause, write } from '../../../test/support/whereClauses.ts';
import { createWhereWorld, type WhereWorld } from '../../../test/support/whereWorld.ts';
import { createRandom, type Random } from '../../../testing/createRandom.ts';
import { sized } from '../../../testing/proveSize.ts';
import { type Sql, sql } from '../../lib/sql.ts';
import { Problem } from '../../model/errors.ts';
import { compileWhere } from './compileWhere.ts';

const clauses = sized(1000, 20_000);
const random = createRandom('where fuzz');

let world: WhereWorld;
let ownIds: number[];
beforeAll(async () => {
  world = await createWhereWorld();
  await world.refill(random, 40);
  ownIds = await world.ids(sql`t.tenant = 1`);
});
afterAll(() => world.close());

describe('any text as a where clause', () => {
  it('compiles or is a 400, and what compiles runs and stays in its scope', async () => {
    const counts = { refused: 0, compiled: 0, run: 0 };
    for (let count = 0; count < clauses; count++) {
      const text =
        count % 4 === 0
          ? randomText(random)
          : mutate(write(randomClause(random, world.shape), random), random);
      const condition = compileOrRefuse(text);
      if (condition === undefined) {
        counts.refused++;
        continue;
      }
      counts.compiled++;
      if (counts.run === clauses / 10) continue;
      counts.run++;
      expectOwn(await world.ids(sql`(t.tenant = 1) and ${condition}`), text);
    }
    expect(counts.refused, JSON.stringify(counts)).toBeGreaterThan(clauses / 10);
    expect(counts.run, JSON.stringify(counts)).toBe(clauses / 10);
  });

  it.each([
    "' or 1=1 --",
    "' or '1'='1",
    "x' or 1=1; drop table thing; --",
    'id = 1 or 1=1',
    'id = 1) or (1=1',
    'id = 1) or (id > 0',
    'id > 0) or (t.tenant = 2',
    'tenant = 2',
    'tenant = 1 or tenant = 2',
    'not tenant = 1',
    'not (tenant = 1 and id is null)',
    'tenant <> 1 or id is not null',
    'id = 1 union select id from thing',
    'id in (select id from thing)',
    'id = (select 1)',
    'id = 1/**/or/**/1=1',
    'id = $1 or id = $2',
    "name = '\\' or id > 0 --'",
    "name = '$1' or name like '%'",
    "name = E'\\' or id > 0 --'",
    'name = $$x$$ or id > 0',
    "name like '%' escape '' or id > 0",
    `config."a' -> 'b" is null`,
    `config."a') or (true) or ('" is null`,
    `config."$1"."?" is null`,
    `config.a."'}" is null or parts."x' or '1" is null`,
    '"id"" or ""1" = 1',
    '"t"."tenant" = 2',
    't.tenant = 2',
    'true',
    'true or true',
    'null is null',
    'exists(select 1)',
    'pg_sleep(10) is null',
    'id = 1 \u0000 or 1=1',
    'id = 1 \u2028 or id > 0',
    'ıd > 0',
    '\uff07 or 1=1',
    "name = '\uff07 or id > 0 --'",
    'parts.size is null or parts.size is not null',
    'schema.name is null or not schema.name is null',
  ])('%s never shows a record outside the scope', async (text) => {
    const condition = compileOrRefuse(text);
    const found = condition === undefined ? [] : await world.ids(sql`(t.tenant = 1) and ${condition}`);
    expectOwn(found, text);
    expect(await world.ids(sql`true`)).toHaveLength(40);
  });

  it.each([
    ['many predicates', join('id = 1', 256, ' or ')],
    ['deep negation', `${'not ('.repeat(16)}id = 1${')'.repeat(16)}`],
    ['a long list', `id in (${join('123456', 1000, ',')})`],
    ['long paths into JSON', join(`config.${join('a', 7, '.')} = 1`, 256, ' or ')],
    ['negated long paths into JSON', join(`config.${join('a', 7, '.')} <> 1`, 256, ' or ')],
    ['predicates on nested lists', join("parts.notes.text <> 'x'", 256, ' and ')],
    ['a huge number', `score < ${'9'.repeat(8000)}e1000 and id > -${'9'.repeat(100)}e1000`],
    ['a fine number', `config.a <> 0.${'1'.repeat(8000)}e-1000`],
    ['a pattern of many wildcards', `name like '${'%a'.repeat(700)}'`],
    ['a pattern of many letters, whatever their case', `name ilike '${'Äb%😀é'.repeat(350)}'`],
  ])('%s are served in good time', async (_, text) => {
    const { condition } = compileWhere(text, world.catalogue);
    const start = performance.now();
    expectOwn(await world.ids(sql`(t.tenant = 1) and ${condition}`), text);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

/** Nothing if the text was refused as it should be; any other failure is thrown. */
function compileOrRefuse(text: string): Sql | undefined {
  try {
    return compileWhere(text, world.catalogue).condition ?? sql`true`;
  } catch (error) {
    if (!(error instanceof Problem)) throw new Error(`SEED=${random.seed} ${text}`, { cause: error });
    expect(error.code, text).toBe('invalid-where');
    expect(error.members.position, text).toBeGreaterThanOrEqual(1);
    expect(error.members.position, text).toBeLessThanOrEqual(text.length + 1);
    return undefined;
  }
}

function expectOwn(found: number[], text: string): void {
  const foreign = found.filter((id) => !ownIds.includes(id));
  expect(foreign, `SEED=${random.seed} ${text}`).toEqual([]);
}

function join(part: string, count: number, separator: string): string {
  return Array.from({ length: count }, () => part).join(separator);
}

const pieces = [
  ...Array.from('\'"`\\(),.=<>!-+;%_?: \n\0\ud800😀\u2028\ufeff109eé'),
  ...'and or not in like ilike is null between escape contains true false NULL'
    .split(' ')
    .map((word) => ` ${word} `),
  ...'id name config parts schema tags score __proto__ select'.split(' '),
  ...`/* */ -- $1 ${'9'.repeat(30)} 1e999 1e-5 '' "" () (1) 'x'`.split(' '),
];

function randomText(random: Random): string {
  return Array.from({ length: random.below(25) }, () =>
    random.chance(0.9) ? random.pick(pieces) : String.fromCharCode(random.below(0x10000)),
  ).join('');
}

function mutate(text: string, random: Random): string {
  let mutated = text;
  for (let count = random.below(3); count > 0; count--) {
    const at = random.below(mutated.length + 1);
    const length = random.chance(0.5) ? 0 : random.below(6);
    mutated =
      mutated.slice(0, at) + (random.chance(0.7) ? random.pick(pieces) : '') + mutated.slice(at + length);
  }
  return mutated;
}

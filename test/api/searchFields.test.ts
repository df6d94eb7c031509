import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources } from '../../src/api/endpoints/endpoints.ts';
import type { Members } from '../../src/store/tables/table.ts';
import { createTurns } from '../../testing/createTurns.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { plantCanaries } from './support/canary.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { forAll } from './support/forAll.ts';
import { readAgain, recordAt } from './support/newBody.ts';
import { observe } from './support/observe.ts';

type Leaf = {
  /** As a clause names it. */
  path: string;
  type: string;
  /** Inside a list of objects, where there is no one value to sort by. */
  isInList: boolean;
  /** What the record shows there; undefined when it shows nothing. */
  value: unknown;
};

/** Columns and input members of one kind or another that no search may know. */
const secrets =
  'sealedKey privateKey passwordHash password hash uidHash abi sealedHeaders headerNames canonicalAddress acceptedAt memberId isFree token'.split(
    ' ',
  );
const strangers =
  'unknown tenant_id created_at ctid xmin tableoid t.id id.id ID constructor toString __proto__'.split(' ');

const isTurn = createTurns('unknown names', 6);

let api: TestApi;
let own: TenantWorld;

beforeAll(async () => {
  api = observe(await startTestApi());
  own = await createTenantWorld(api);
  await plantCanaries(api, own.world);
  await readAgain(api, own.world);
});
afterAll(() => api.stop());

describe.each(resources.map(({ kind }) => [kind.table.kind, kind.table] as const))(
  'a search of %s',
  (kind, table) => {
    const search = (body: Json) =>
      api.call(
        'POST',
        `${kind}/search`,
        { ...body, trackTotal: true },
        { token: own.tokens['tenant-manager'] },
      );
    const count = async (where: string): Promise<number> => {
      const { status, body, text } = await search({ where });
      if (status !== 200) expect.fail(`${kind} where ${where}: ${text}`);
      expect(body.data.length, where).toBe(body.total);
      return body.total;
    };
    const leaves = () =>
      leavesOf({ ...table.members, status: { type: 'string' } }, recordAt(own.world, `/${kind}`));

    it('finds a record by the value of each of its members, nested and JSON ones included', async () => {
      const { id } = recordAt(own.world, `/${kind}`);
      await forAll(leaves(), async ({ path, type, value }) => {
        const tests = literalsOf(type).map((test) => `${path} ${test}`);
        await count(tests.join(' or '));
        if (value === undefined) return;
        // All at once, because each request costs as much as the rest of the test.
        const facts =
          value === null
            ? `${path} is null and not ${path} is not null`
            : `${path} ${equal(value)} and ${path} is not null and not ${path} is null`;
        expect(await count(`id = ${id} and ${facts}`), facts).toBe(1);
      });
    });

    it('sorts by each member that is a single plain value, and refuses the others by name', async () => {
      await forAll(leaves(), async ({ path, type, isInList }) => {
        const isSortable = !isInList && !['json', 'one', 'many'].includes(type);
        for (const order of [{ order: 'asc' }, { direction: 'desc' }]) {
          const { status, body, text } = await search({ sort: [{ field: path, ...order }] });
          expect(status, `${kind} by ${path}: ${text}`).toBe(isSortable ? 200 : 400);
          if (isSortable) expect(body.total).toBeGreaterThan(0);
          else
            expect(body.errors).toEqual([
              expect.objectContaining({ pointer: '/sort/0/field', code: 'not-sortable' }),
            ]);
        }
      });
    });

    it('knows no column that the record does not show, nor any other name', async () => {
      const others = [...secrets, ...strangers].filter((_, n) => isTurn(n));
      for (const name of new Set([...Object.keys(table.hidden ?? {}), ...others])) {
        for (const where of [`${name} is null`, `id > 0 or not ${name} like '%'`]) {
          const { status, body } = await search({ where });
          expect([status, body.code, typeof body.position], where).toEqual([400, 'invalid-where', 'number']);
        }
        const sorted = await search({ sort: [{ field: name }] });
        expect([sorted.status, sorted.body.errors?.[0].pointer], name).toEqual([400, '/sort/0/field']);
      }
    });
  },
);

it('no clause can reveal a sealed header value', async () => {
  const { id } = own.world.destination;
  const name = `x-canary-${own.world.tenant.id}-destination-`;
  const ask = async (test: string) =>
    (await api.ok('POST', 'destination/search', { where: `id = ${id} and headers."${name}" ${test}` })).data
      .length;
  expect(await ask("= '[sealed]'")).toBe(1);
  expect(await ask("like 'canary%'")).toBe(0);
});

function leavesOf(members: Members, record: unknown, prefix = '', isInList = false): Leaf[] {
  return Object.entries(members).flatMap(([name, member]): Leaf[] => {
    if (member.type === 'bytes') return [];
    const path = `${prefix}${name}`;
    const value = (record as Json | null | undefined)?.[name];
    if ('from' in member) {
      const isList = isInList || member.type === 'many';
      const first: unknown = Array.isArray(value) ? value[0] : value;
      const own = { path, type: member.type, isInList, value: Array.isArray(value) ? undefined : value };
      return [own, ...leavesOf(member.members, first, `${path}.`, isList)];
    }
    if (member.type !== 'json') return [{ path, type: member.type, isInList, value }];
    return [
      { path, type: 'json', isInList, value },
      { path: `${path}.note`, type: 'json', isInList, value: valueIn(value) },
    ];
  });
}

/** Every free-form object of the world has a note. */
function valueIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'note' in value ? value.note : undefined;
}

function equal(value: unknown): string {
  if (typeof value === 'string') return `= '${value.replaceAll("'", "''")}'`;
  if (Array.isArray(value))
    return value.length > 0 && typeof value[0] !== 'object' ? equal(value[0]) : 'is not null';
  return typeof value === 'object' ? 'is not null' : `= ${JSON.stringify(value)}`;
}

function literalsOf(type: string): string[] {
  const texts = [
    "= 'x'",
    "<> 'x'",
    "< 'x'",
    "in ('x', 'y')",
    "not like 'x%'",
    "ilike '%X%'",
    "between 'a' and 'b'",
  ];
  const numbers = ['= 1', '<> 1', '<= 1', 'in (1, 2)', 'between 1 and 2', "= '1'", 'not in (1)'];
  const either = ['is null', 'is not null'];
  switch (type) {
    case 'string':
      return [...texts, ...either];
    case 'integer':
    case 'number':
      return [...numbers, ...either];
    case 'boolean':
      return ['= true', '<> false', ...either];
    case 'date':
      return ["= '2026-01-31'", "<> '2026-01-31T12:00:00Z'", "in ('2026-01-31T12:00+02:00')", ...either];
    case 'string[]':
      return [...texts, "contains 'x'", "not contains 'x'", ...either];
    case 'integer[]':
      return [...numbers, 'contains 1', ...either];
    case 'json':
      return [...texts, ...numbers, '= true', "contains 'x'", ...either];
    default:
      return either;
  }
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpoints, resources } from '../../src/api/endpoints/endpoints.ts';
import { approvalRuleOf } from '../../src/api/http/approvalRuleOf.ts';
import { sql } from '../../src/lib/sql.ts';
import { firingTables } from '../../src/store/actions/firingTables.ts';
import type { Table } from '../../src/store/tables/table.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

const endpoints = createEndpoints(() => 0);
const firing = new Set<string>(firingTables.map(({ table }) => table));
/** What a guarded wallet depends on. */
const guarded = new Set([
  ...firing,
  'wallet',
  'action',
  'action_destination',
  'detector',
  '"trigger"',
  'trigger_alert',
  'contract',
  'project',
]);

/** Tables that are written along with a record: its own, its bindings, and those of what it owns. */
function writtenWith(table: Table, seen = new Set<string>()): Set<string> {
  if (seen.has(table.name)) return seen;
  seen.add(table.name);
  const addBindings = (bindings: Table['bindings']): void => {
    for (const binding of bindings) {
      seen.add(binding.table);
      addBindings(binding.bindings);
    }
  };
  addBindings(table.bindings);
  for (const { table: unbound } of table.unbinds ?? []) seen.add(unbound);
  for (const { table: child } of table.owns?.() ?? []) writtenWith(child, seen);
  return seen;
}

/** The members of objects anywhere in a schema, without those that only come back as they were read. */
function memberNames(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  const isOf = (member: unknown) => !(member as { readOnly?: boolean }).readOnly;
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties')
      for (const [member, own] of Object.entries(value)) if (isOf(own)) found.add(member);
    memberNames(value, found);
  }
  return found;
}

/** Members by which a body binds an action to what fires it: those of the actions' side and of the other's. */
const binding = resources
  .flatMap(({ kind }) => allBindings(kind.table.bindings))
  .filter(({ table }) => firing.has(table))
  .flatMap(({ items }) =>
    Object.entries(items).flatMap(([name, { references }]) => (references ? name : [])),
  );

function allBindings(bindings: Table['bindings']): Table['bindings'] {
  return bindings.flatMap((one) => [one, ...allBindings(one.bindings)]);
}

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

describe('the approval that a guarded wallet asks for', () => {
  it('is known of every table that names an action', async () => {
    const tables = await api.store.query<{ name: string }>(
      sql`select distinct conrelid::regclass::text as name from pg_constraint
        where contype = 'f' and confrelid = 'action'::regclass order by 1`,
    );
    const others = ['action_destination', 'action_intent', 'binding_timeout'];
    expect(tables.map(({ name }) => name)).toEqual([...firing, ...others].toSorted());
  });

  it('covers every endpoint whose body can bind an action', () => {
    expect(new Set(binding)).toEqual(new Set(['detectorId', 'triggerAlertId', 'actionId']));
    const reaching = endpoints.filter(
      ({ effect, body }) => effect !== 'read' && body && binding.some((name) => memberNames(body).has(name)),
    );
    const keys = reaching.map(({ method, path }) => `${method} ${path}`);
    expect(keys).toEqual(
      expect.arrayContaining([
        'POST /trigger',
        'PUT /trigger/{id}',
        'POST /detector',
        'PUT /action/{id}',
        'POST /trigger/batch',
        'POST /detector/batch',
        'POST /action/batch',
      ]),
    );
    const unheld = reaching.filter((endpoint) => approvalRuleOf(endpoint) === 'never');
    expect(unheld.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('is the same for a batch as for a single record of its kind', () => {
    const batches = endpoints.filter(({ path }) => path.endsWith('/batch'));
    expect(batches.length).toBeGreaterThan(4);
    for (const { method, path, effect } of batches) {
      const single = endpoints.find((one) => one.method === method && `${one.path}/batch` === path);
      expect(single?.effect, path).toBe(effect);
      expect(approvalRuleOf({ method, path, effect }), path).toBe(single && approvalRuleOf(single));
    }
  });

  it.each(resources.map(({ kind, endpoints: own }) => [kind.table.kind, kind.table, own] as const))(
    'covers changes of a %s if a guarded wallet depends on what they write',
    (_kind, table, own) => {
      const depends = [...writtenWith(table)].some((name) => guarded.has(name));
      const isPlatform = ['organisation', 'tenant', 'plan', 'subscription', 'detector/schema'].includes(
        table.kind,
      );
      for (const endpoint of own.filter(({ effect }) => effect === 'create' || effect === 'change')) {
        const rule = approvalRuleOf(endpoint);
        if (depends && !isPlatform) expect(rule, `${endpoint.method} ${endpoint.path}`).toBe('watched');
      }
    },
  );
});

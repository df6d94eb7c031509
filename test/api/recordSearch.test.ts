import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources } from '../../src/api/endpoints/endpoints.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';

let api: TestApi;
let world: World;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
});
afterAll(() => api.stop());

const search = (kind: string, where: string, body = {}) =>
  api.call('POST', `${kind}/search`, { where, size: 100, ...body });
async function ids(kind: string, where: string, body = {}): Promise<number[]> {
  const { status, body: answer, text } = await search(kind, where, body);
  expect(status, `${where.slice(0, 100)}: ${text}`).toBe(200);
  return answer.data.map(({ id }: { id: number }) => id);
}

describe('a date of a record', () => {
  it('is compared as the moment it names, whatever the offset', async () => {
    const { id } = await api.ok('PUT', `instance/meta/${world.instanceMeta.id}`, {
      startedAt: '2026-01-01T00:00:00Z',
      expiredAt: '2026-12-31T23:00:00Z',
    });
    const isFound = async (where: string) =>
      (await ids('instance/meta', `id = ${id} and ${where}`)).length === 1;
    for (const where of [
      "startedAt = '2026-01-01T02:00:00+02:00'",
      "startedAt = '2025-12-31T19:00:00.000-05:00'",
      "startedAt = '2026-01-01'",
      "startedAt = '2026-01-01 00:00'",
      "startedAt in ('2020-01-01', '2026-01-01T00:00:00z')",
      "startedAt between '2025-12-31T23:59:59Z' and '2026-01-01T05:00:00+05:00'",
      "startedAt < '2026-01-01T00:30:00Z'",
      "startedAt >= '2026-01-01T01:00:00+01:00'",
      "startedAt <> '2026-01-01T00:00:00+01:00'",
      "expiredAt > '2026-12-31T23:59:00+01:00'",
      'expiredAt is not null',
    ]) {
      expect(await isFound(where), where).toBe(true);
      expect(await isFound(`not (${where})`), `not ${where}`).toBe(false);
    }
    // As texts these would hold.
    expect(await isFound("startedAt > '2026-01-01T00:00:00+02:00'")).toBe(true);
    expect(await isFound("startedAt < '2026-01-01T00:00:00-02:00'")).toBe(true);
    expect(await ids('instance/meta', '', { sort: [{ field: 'startedAt', order: 'desc' }] })).toContain(id);
  });

  it.each([
    "'yesterday'",
    "''",
    "'2026'",
    "'2026-02-30'",
    "'2026-13-01'",
    "'2026-01-01T25:00:00Z'",
    "'2026-01-01T00:00:00+99:00'",
    "'0000-01-01'",
    '1767225600000',
    'TRUE',
  ])('cannot be compared with %s', async (literal) => {
    const { status, body } = await search('instance/meta', `startedAt >= ${literal}`);
    expect([status, body.code, body.position]).toEqual([400, 'invalid-where', 14]);
    expect(body.detail).toContain("a date such as '2026-01-31'");
  });

  it('cannot be compared with a pattern', async () => {
    const { status, body } = await search('instance/meta', "expiredAt like '2026-%'");
    expect([status, body.code, body.position]).toEqual([400, 'invalid-where', 1]);
  });

  it('is typed as one in every kind of record', () => {
    const dates = resources.flatMap(({ kind: { table } }) =>
      Object.entries(table.members)
        .filter(([name]) => /(At|Date)$/.test(name) && name !== 'fireAt')
        .map(([name, { type }]) => `${table.kind}.${name} ${type}`),
    );
    expect(dates.filter((member) => !/ (integer|date)$/.test(member))).toEqual([]);
    expect(dates).toContain('instance/meta.startedAt date');
  });
});

describe('an address', () => {
  const mixed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const base58 = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

  it('is found regardless of case where its chain has none', async () => {
    const contract = await api.ok('POST', 'contract', {
      projectId: world.project.id,
      chainUid: 'ethereum',
      name: 'Vault',
      address: mixed,
    });
    const label = await api.ok('POST', 'label', {
      tenantId: world.tenant.id,
      chainUid: 'ethereum',
      address: mixed,
      name: 'Vault',
    });
    for (const [kind, { id }] of [
      ['contract', contract],
      ['label', label],
    ] as const) {
      for (const where of [
        `address = '${mixed.toLowerCase()}'`,
        `address = '0x${mixed.slice(2).toUpperCase()}'`,
        `address in ('x', '${mixed.toLowerCase()}')`,
        `address like '${mixed.slice(0, 8).toUpperCase().replace('0X', '0x')}%'`,
        `address between '${mixed.toUpperCase()}' and '${mixed.toLowerCase()}'`,
      ]) {
        expect(await ids(kind, where), `${kind} where ${where}`).toEqual([id]);
        expect(await ids(kind, `id = ${id} and not ${where}`), `${kind} where not ${where}`).toEqual([]);
      }
    }
    expect((await api.ok('GET', `contract/${contract.id}`)).address).toBe(mixed);
  });

  it('is found in its one spelling where case matters', async () => {
    const { id } = await api.ok('POST', 'contract', {
      projectId: world.project.id,
      chainUid: 'tron',
      name: 'Token',
      address: base58,
    });
    expect(await ids('contract', `address = '${base58}'`)).toEqual([id]);
    expect(await ids('contract', `address = '${base58.toLowerCase()}'`)).toEqual([]);
    expect(await ids('contract', `address like '${base58.slice(0, 6)}%'`)).toEqual([id]);
    expect(await ids('contract', `address like '${base58.slice(0, 6).toLowerCase()}%'`)).toEqual([]);
  });

  it('an address of a wallet is found in lower case', async () => {
    const { address, id } = world.wallet;
    expect(await ids('wallet', `address = '${String(address).toLowerCase()}'`)).toEqual([id]);
  });
});

describe('detectors', () => {
  it('are found by their project, which their record does not show', async () => {
    const found = await ids('detector', `projectId = ${world.project.id}`);
    expect(found).toContain(world.detector.id);
    expect(
      await ids('detector', `projectId = ${world.project.id} and projectId <> ${world.project.id}`),
    ).toEqual([]);
    expect(await ids('detector', 'projectId = 999999999')).toEqual([]);
    const { body } = await search('detector', `id = ${world.detector.id}`);
    expect(Object.keys(body.data[0])).not.toContain('projectId');
  });
});

describe('a where clause', () => {
  const many = (count: number, condition: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => condition(n)).join(' or ');

  it('a where clause that would keep the database busy is refused with its cost, the limit and a place', async () => {
    for (const where of [
      many(200, (n) => `name like '%a%b%c%${n}%'`),
      many(150, (n) => `name ilike '%${n}%'`),
      many(30, () => `name like '%${'_a'.repeat(40)}%'`),
      many(120, (n) => `tags like '%${n}%'`),
    ]) {
      const { status, body } = await search('contract', where);
      expect([status, body.code], where.slice(0, 60)).toEqual([400, 'invalid-where']);
      expect(body.detail).toMatch(/the clause costs \d+ and may cost 1500; use fewer LIKE/);
      expect(body.position).toBeGreaterThan(0);
    }
  });

  it('a where clause with the most conditions of an ordinary kind is answered', async () => {
    expect(
      await ids(
        'contract',
        many(256, (n) => `name = 'x${n}'`),
      ),
    ).toEqual([]);
    expect(
      await ids(
        'contract',
        many(100, (n) => `name like '%x${n}x%'`),
      ),
    ).toEqual([]);
    const list = Array.from({ length: 1000 }, (_, n) => 1e6 + n).join(',');
    expect(await ids('contract', `id in (${list})`)).toEqual([]);
  });
});

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { recordWrites } from '../support/recordWrites.ts';

const kinds = ['contract', 'detector', 'trigger', 'label', 'action'] as const;

describe('POST /{kind}/batch', () => {
  let api: TestApi;
  let world: World;

  beforeAll(async () => {
    api = await startTestApi();
    await publishDetectors(api.store, Date.now());
    world = await createWorld(api);
  });
  afterAll(() => api.stop());

  const bodyOf = (kind: (typeof kinds)[number], n: number): Json => {
    const body = recordWrites[`/${kind}`]!.create(world, `${kind} ${n}`);
    return 'address' in body
      ? { ...body, address: `0x${(0xabc000 + n).toString(16).padStart(40, '0')}` }
      : body;
  };
  const list = (kind: (typeof kinds)[number], count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => bodyOf(kind, from + n));
  const countOf = async (kind: string) =>
    (await api.ok('POST', `${kind}/search`, { size: 0, trackTotal: true })).total as number;
  const audited = async (kind: string, id: number) =>
    (await api.ok('GET', `audit?kind=${kind}&recordId=${id}`)).data as Json[];

  it.each(kinds)('creates many %s records as single requests would, in their order', async (kind) => {
    const single = await api.ok('POST', kind, bodyOf(kind, 900));
    const { data } = await api.ok('POST', `${kind}/batch`, { records: list(kind, 3, 100) });
    expect(data).toHaveLength(3);
    for (const [n, record] of (data as Json[]).entries()) {
      const sent = bodyOf(kind, 100 + n);
      expect(Object.keys(record)).toEqual(Object.keys(single));
      if ('name' in sent) expect(record.name).toBe(sent.name);
      if ('address' in sent) expect(record.address.toLowerCase()).toBe(sent.address);
      const read = await api.ok('GET', `${kind}/${record.id}`);
      expect(read).toMatchObject(record);
      const [entry] = await audited(kind, record.id);
      const [one] = await audited(kind, single.id);
      expect(entry).toMatchObject({ action: `${kind}.create`, tenantId: one!.tenantId });
      expect(Object.keys(entry!.changes)).toEqual(Object.keys(one!.changes));
    }
  });

  it('gives every new contract its attack detector', async () => {
    const { data } = await api.ok('POST', 'contract/batch', { records: list('contract', 2, 200) });
    for (const { id } of data as Json[]) {
      const found = await api.ok('POST', 'detector/search', { where: `contractId = ${id}` });
      expect(found.data.map(({ source }: Json) => source)).toEqual(['ATTACK_DETECTOR']);
    }
  });

  it.each<[string, (records: Json[]) => Json[], number, string]>([
    [
      'a member of a wrong type',
      ([one, ...rest]) => [one!, { ...rest[0], name: 7 }, ...rest.slice(1)],
      400,
      '/records/1/name',
    ],
    [
      'an unknown member',
      (records) => [...records, { ...records[0], colour: 'red' }],
      400,
      '/records/3/colour',
    ],
    [
      'a member that only Vigil sets',
      (records) => [{ ...records[0], id: 3 }, ...records.slice(1)],
      400,
      '/records/0/id',
    ],
    [
      'a project that does not exist',
      (records) => [records[0]!, { ...records[1], projectId: 987_654 }],
      422,
      '/records/1/projectId',
    ],
    [
      'an address that is none of its chain',
      (records) => [records[0]!, { ...records[1], address: '0x12' }],
      422,
      '/records/1/address',
    ],
    ['the same address twice', (records) => [...records, records[0]!], 409, '/records/3/address'],
  ])(
    'refuses the whole batch for %s, and names the record and the member',
    async (_, spoil, status, pointer) => {
      const before = await countOf('contract');
      const answer = await api.call('POST', 'contract/batch', { records: spoil(list('contract', 3, 300)) });
      expect(answer.status).toBe(status);
      expect(answer.body.errors.map((fault: Json) => fault.pointer)).toContain(pointer);
      expect(answer.body.detail).toContain(pointer);
      expect(await countOf('contract')).toBe(before);
    },
  );

  it('lists the faults of all records', async () => {
    const records = list('contract', 4, 320).map((record, n) =>
      n % 2 ? { ...record, address: 'none' } : record,
    );
    const answer = await api.call('POST', 'contract/batch', { records });
    expect(answer.body.errors.map((fault: Json) => fault.pointer)).toEqual([
      '/records/1/address',
      '/records/3/address',
    ]);
  });

  it('takes at least one record and at most a thousand', async () => {
    expect((await api.call('POST', 'label/batch', { records: [] })).status).toBe(400);
    expect((await api.call('POST', 'label/batch', { records: list('label', 1001) })).status).toBe(400);
  });

  it('does its work once for one Idempotency-Key', async () => {
    const body = { records: list('contract', 2, 400) };
    const send = (sent: Json) =>
      api.call('POST', 'contract/batch', sent, { headers: { 'idempotency-key': 'batch-1' } });
    const first = await send(body);
    const again = await send(body);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await send({ records: list('contract', 1, 410) })).status).toBe(422);
  });

  it('creates nothing beyond the limit of the plan', async () => {
    const before = await countOf('contract');
    const plan = await api.ok('POST', 'plan', {
      ...recordWrites['/plan']!.create(world, 'Narrow'),
      maxContracts: 2,
    });
    const tenant = await api.ok('POST', 'tenant', { name: 'Narrow' });
    const expirationDate = 4_000_000_000_000;
    await api.ok('POST', 'subscription', { tenantId: tenant.id, planId: plan.id, expirationDate });
    const project = await api.ok('POST', 'project', { tenantId: tenant.id, name: 'Narrow' });
    const records = list('contract', 3, 500).map((record) => ({ ...record, projectId: project.id }));
    const answer = await api.call('POST', 'contract/batch', { records });
    expect(answer).toMatchObject({ status: 403, body: { code: 'plan-limit', limit: 2, count: 0 } });
    expect((await api.call('POST', 'contract/batch', { records: records.slice(1) })).status).toBe(201);
    expect(await countOf('contract')).toBe(before + 2);
  });

  it('binds what the records name, each to its own', async () => {
    const destinations = [{ tenantDestinationId: world.destination.id }];
    const records = [1, 2].map((n) => ({
      ...bodyOf('trigger', 700 + n),
      alerts: Array.from({ length: n }, (_, index) => ({
        severity: 'HIGH',
        name: `Alert ${n} ${index}`,
        message: 'It was called.',
        destinations,
        actions: [{ actionId: world.action.id }],
      })),
    }));
    const { data } = await api.ok('POST', 'trigger/batch', { records });
    const names = (data as Json[]).map(({ alerts }) => alerts.map(({ name }: Json) => name));
    expect(names).toEqual([['Alert 1 0'], ['Alert 2 0', 'Alert 2 1']]);
    for (const { alerts } of data as Json[])
      for (const alert of alerts) {
        expect(alert.destinations).toMatchObject([{ id: expect.any(Number) }]);
        expect(alert.actions).toMatchObject([{ id: expect.any(Number) }]);
      }
  });

  it.each(kinds)(
    'sends hardly more statements for 54 %s records of different contracts than for three',
    async (kind) => {
      const made = await api.ok('POST', 'contract/batch', {
        records: list('contract', 60, 5000 + 100 * kinds.indexOf(kind)),
      });
      const contractIds = (made.data as Json[]).map(({ id }) => id);
      const records = list(kind, 60, 2000).map((record, n) =>
        'contractId' in record ? { ...record, contractId: contractIds[n] } : record,
      );
      if (kind === 'contract')
        for (const [n, record] of records.entries()) record.address = bodyOf('label', 3000 + n).address;
      await countStatements(() => api.ok('POST', `${kind}/batch`, { records: records.slice(0, 3) }));
      const few = await countStatements(() =>
        api.ok('POST', `${kind}/batch`, { records: records.slice(3, 6) }),
      );
      const many = await countStatements(() =>
        api.ok('POST', `${kind}/batch`, { records: records.slice(6) }),
      );
      // Reads come together by turns of the event loop, of which a larger batch takes more.
      expect(many).toBeLessThanOrEqual(few + 20);
    },
  );
});

async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
  }
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { sized } from '../../testing/proveSize.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { address, tally, together } from '../support/together.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

describe('an Idempotency-Key', () => {
  it('has one effect, however many requests carry it at once, and the same answer for all', async () => {
    const { tenant } = await createWorld(api);
    const token = await api.token(tenant.id, 'tenant-manager');
    const keys = Array.from({ length: sized(3, 10) }, (_, i) => `key-${i}`);
    for (const key of keys) {
      const sent = { token, headers: { 'idempotency-key': key } };
      const send = () => api.call('POST', 'project', { name: `Once ${key}` }, sent);
      const answers = await together(64, send);
      const done = answers.filter(({ status }) => status === 201);
      expect(done.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
      expect(new Set(done.map(({ text }) => text)).size).toBe(1);
      for (const { status, body } of answers)
        if (status !== 201) expect([status, body.code]).toEqual([409, 'idempotency-in-flight']);
      const again = await send();
      expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([done[0]!.text, 'true']);
    }
    const { total } = await api.ok(
      'POST',
      'project/search',
      { where: "name like 'Once %'", size: 0, trackTotal: true },
      { token },
    );
    expect(total).toBe(keys.length);
  });

  it('an Idempotency-Key of two tenants is two keys', async () => {
    const worlds = [await createWorld(api), await createWorld(api)];
    const answers = await Promise.all(
      worlds.map(async ({ tenant }) => {
        const token = await api.token(tenant.id, 'tenant-manager');
        const headers = { 'idempotency-key': 'shared' };
        return together(16, () => api.call('POST', 'project', { name: 'Both' }, { token, headers }));
      }),
    );
    const ids = answers.map(
      (list) => new Set(list.filter(({ status }) => status === 201).map(({ body }) => body.id)),
    );
    expect(ids.map(({ size }) => size)).toEqual([1, 1]);
    expect(ids[0]).not.toEqual(ids[1]);
    for (const [i, { tenant }] of worlds.entries())
      expect(answers[i]!.find(({ status }) => status === 201)!.body.tenantId).toBe(tenant.id);
  });

  it('an Idempotency-Key of a request that failed can be used again', async () => {
    const { tenant } = await createWorld(api);
    const token = await api.token(tenant.id, 'tenant-manager');
    const headers = { 'idempotency-key': 'failed' };
    const refused = await api.call('POST', 'project', { name: 'Project' }, { token, headers });
    expect(refused.status).toBe(409);
    expect((await api.call('POST', 'project', { name: 'Free' }, { token, headers })).status).toBe(201);
  });
});

describe('changes of one record at once', () => {
  it('changes of one record at once with the same If-Match: exactly one wins, and its values stand', async () => {
    const { project, action, destination } = await createWorld(api);
    for (let round = 0; round < 5; round++) {
      const bodies: [string, (i: number) => Json][] = [
        [`project/${project.id}`, (i) => ({ description: `round ${round} by ${i}` })],
        [
          `action/${action.id}`,
          // A change that changes nothing would leave the record as it was for the next one.
          (i) => ({
            destinations: i % 2 ? [{ tenantDestinationId: destination.id }] : [],
            description: `round ${round} by ${i}`,
          }),
        ],
      ];
      for (const [path, body] of bodies) {
        const { headers } = await api.call('GET', path);
        const sent = { headers: { 'if-match': headers.get('etag')! } };
        const answers = await together(16, (i) => api.call('PUT', path, body(i), sent));
        expect(tally(answers), path).toEqual({ 200: 1, 412: 15 });
        const winner = answers.find(({ status }) => status === 200)!;
        // Read alone, a record shows more than the reply to a change.
        expect(await api.ok('GET', path)).toMatchObject(winner.body);
      }
    }
  });

  it('changes of one record at once without If-Match are applied one after the other, and the audit log records each step', async () => {
    const { action, destination, detector, trigger } = await createWorld(api);
    const lists = [
      { destinations: [{ tenantDestinationId: destination.id }], detectors: [] },
      { destinations: [], detectors: [{ detectorId: detector.id, scriptFilter: "e.name === 'one'" }] },
      { triggerAlerts: [{ triggerAlertId: trigger.alerts[0].id }], detectors: [{ detectorId: detector.id }] },
      { triggerAlerts: [], destinations: [], detectors: [] },
    ];
    const answers = await together(40, (i) =>
      // Each differs, because a change that changes nothing leaves no entry.
      api.call('PUT', `action/${action.id}`, { ...lists[i % lists.length], description: `step ${i}` }),
    );
    expect(tally(answers)).toEqual({ 200: 40 });
    const { data } = await api.ok('GET', `audit?kind=action&recordId=${action.id}`);
    const steps: Json[] = data.toSorted((a: Json, b: Json) => a.seq - b.seq);
    expect(steps.map((step) => step.action)).toEqual(['action.create', ...Array(40).fill('action.update')]);
    const state: Json = {};
    for (const { seq, changes } of steps) {
      for (const [member, { before, after }] of Object.entries<Json>(changes)) {
        expect(before, `entry ${seq}, ${member}`).toEqual(state[member] ?? null);
        state[member] = after;
      }
    }
    const record = await api.ok('GET', `action/${action.id}`);
    for (const member of Object.keys(answers[0]!.body)) expect(record[member]).toEqual(state[member] ?? null);
  });

  it('changes of one record at once that bind actions and detectors crosswise never fail', async () => {
    const { contract, detectorSchema, wallet, destination } = await createWorld(api);
    const actions: Json[] = [];
    const detectors: Json[] = [];
    for (const name of ['one', 'two', 'three']) {
      actions.push(
        await api.ok('POST', 'action', {
          contractId: contract.id,
          walletId: wallet.id,
          name,
          funcSignature: 'pause()',
        }),
      );
      detectors.push(
        await api.ok('POST', 'detector', { contractId: contract.id, schemaId: detectorSchema.id, name }),
      );
    }
    const destinations = [{ tenantDestinationId: destination.id }];
    const crowd = sized(60, 120);
    const answers = await together(crowd, (i) => {
      const pick = Math.floor(i / 2) % 3;
      return i % 2 === 0
        ? api.call('PUT', `action/${actions[pick]!.id}`, {
            destinations,
            detectors: detectors.map(({ id }) => ({ detectorId: id })),
          })
        : api.call('PUT', `detector/${detectors[pick]!.id}`, {
            destinations,
            actions: actions.toReversed().map(({ id }) => ({ actionId: id })),
          });
    });
    expect(tally(answers)).toEqual({ 200: crowd });
  });
});

describe('deleting and creating at once', () => {
  it('leaves nothing alive inside a deleted project', async () => {
    const { tenant, wallet, detectorSchema } = await createWorld(api);
    const rounds = sized(10, 25);
    for (let round = 0; round < rounds; round++) {
      const project = await api.ok('POST', 'project', { tenantId: tenant.id, name: `Doomed ${round}` });
      const at = { projectId: project.id, name: 'C', chainUid: 'anvil' };
      const contract = await api.ok('POST', 'contract', { ...at, address: address(0) });
      const answers = await Promise.all([
        api.call('POST', 'contract', { ...at, address: address(1) }),
        api.call('POST', 'detector', { contractId: contract.id, schemaId: detectorSchema.id, name: 'D' }),
        api.call('DELETE', `project/${project.id}`),
        api.call('POST', 'contract', { ...at, address: address(2) }),
        api.call('POST', 'action', {
          contractId: contract.id,
          walletId: wallet.id,
          name: 'A',
          funcSignature: 'pause()',
        }),
        api.call('PUT', `contract/${contract.id}`, { name: 'renamed' }),
      ]);
      expect(answers[2].status).toBe(200);
      for (const { status } of answers) expect([200, 201, 404, 422]).toContain(status);
    }
    const alive = await api.store.query<{ kind: string; id: number }>(
      sql`with dead_project as (select id from project where status = 'DELETED'),
          dead_contract as (select id from contract where status = 'DELETED')
        select 'contract' as kind, id from contract where project_id in (select id from dead_project) and status <> 'DELETED'
        union all select 'detector', id from detector where contract_id in (select id from dead_contract) and status <> 'DELETED'
        union all select 'action', id from action where contract_id in (select id from dead_contract) and status <> 'DELETED'`,
    );
    expect(alive).toEqual([]);
    const [dead] = await api.store.query<{ n: number }>(
      sql`select count(*) as n from project where status = 'DELETED'`,
    );
    expect(dead!.n).toBe(rounds);
  });

  it('leaves no binding to a deleted detector or destination', async () => {
    const { tenant, contract, detectorSchema, action } = await createWorld(api);
    for (let round = 0; round < sized(8, 20); round++) {
      const detector = await api.ok('POST', 'detector', {
        contractId: contract.id,
        schemaId: detectorSchema.id,
        name: 'D',
      });
      const destination = await api.ok('POST', 'destination', {
        tenantId: tenant.id,
        type: 'EMAIL',
        value: 'a@example.com',
      });
      const answers = await Promise.all([
        api.call('PUT', `action/${action.id}`, {
          detectors: [{ detectorId: detector.id }, { detectorId: detector.id }],
        }),
        api.call('DELETE', `detector/${detector.id}`),
        api.call('PUT', `action/${action.id}`, { destinations: [{ tenantDestinationId: destination.id }] }),
        api.call('DELETE', `destination/${destination.id}`),
      ]);
      for (const { status } of answers) expect([200, 422]).toContain(status);
      const { detectors, destinations } = await api.ok('GET', `action/${action.id}`);
      expect(detectors.map(({ detectorId }: Json) => detectorId)).not.toContain(detector.id);
      expect(destinations.map(({ tenantDestination }: Json) => tenantDestination.id)).not.toContain(
        destination.id,
      );
    }
  });

  it('deleting and creating a record of the same name at once lets one in', async () => {
    const { tenant } = await createWorld(api);
    const answers = await together(50, () =>
      api.call('POST', 'project', { tenantId: tenant.id, name: 'Only one' }),
    );
    expect(tally(answers)).toEqual({ 201: 1, 409: 49 });
  });
});

describe('an invite', () => {
  it('an invite accepted by many at once makes one user', async () => {
    const { tenant } = await createWorld(api);
    const { headers } = await api.call('POST', 'invite', {
      tenantId: tenant.id,
      email: 'wanted@example.com',
      roles: ['tenant-viewer'],
      url: 'https://console.example.com/accept',
    });
    const uid = new URL(headers.get('x-invite-accept-link')!).searchParams.get('invite')!;
    const answers = await together(8, (i) =>
      api.call(
        'POST',
        `invite/${uid}/accept`,
        { name: `Number ${i}`, password: 'correct horse battery' },
        { token: null },
      ),
    );
    expect(tally(answers)).toEqual({ 201: 1, 404: 7 });
    const winner = answers.find(({ status }) => status === 201)!.body.name;
    const { data } = await api.ok('POST', 'user/search', { where: "email = 'wanted@example.com'" });
    expect(data.map(({ name }: Json) => name)).toEqual([winner]);
  });
});

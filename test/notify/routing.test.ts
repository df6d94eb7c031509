import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import { wholeAlert } from '../../src/api/endpoints/alerts/alertSchemas.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { createNotifyOnAlerts, createNotifyOnRetractions } from '../../src/notify/notifyOnAlerts.ts';
import { alertTable } from '../../src/store/search/documents/alertTable.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { endDeliveries } from './support/endDeliveries.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
const ids: Record<string, number> = {};
beforeAll(async () => {
  world = await startNotifyWorld();
  for (const [name, tags] of Object.entries({
    default: ['DEFAULT'],
    detector: ['DETECTOR'],
    wallet: ['WALLET'],
    bound: [],
    other: [],
  }))
    ids[name] = (await world.addDestination(`/${name}`, { tags })).id;
  await world.ok('POST', 'destination', {
    tenantId: world.tenantId,
    type: 'MESSENGER_A',
    tags: ['DEFAULT', 'DETECTOR', 'WALLET'],
  });
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.bind();
  await world.store.query(sql`truncate delivery, delivery_queue`);
});

/** Who is to be told of an alert, by the names above. */
async function toldOf(uid: string, type = '%'): Promise<string[]> {
  const rows = await world.store.query<{ id: number }>(
    sql`select destination_id as id from delivery where alert_uid = ${uid}::uuid and type like ${type} order by 1`,
  );
  return rows.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id) ?? `unknown ${id}`);
}

let count = 0;
const finding = (members: Partial<Finding>): Finding => ({
  tenantId: world.tenantId,
  projectId: 1,
  contractId: world.contractId,
  kind: 'detector',
  group: 'SECURITY',
  severity: 'MEDIUM',
  timestamp: Date.now(),
  key: `finding ${++count}`,
  eid: 'e',
  name: 'Found',
  message: 'Found.',
  meta: {},
  tags: [],
  ...members,
});

async function raiseOne(members: Partial<Finding>): Promise<string> {
  const findings = [finding(members)];
  await prepareRaise(world.store, findings);
  const links = world.services.alertLinks;
  const follow = [createNotifyOnAlerts({ links, now: Date.now })];
  const raised = await world.store.transaction((tx) => raiseAlerts(tx, findings, follow));
  return raised[0]!.uid;
}

describe('the recipients of an alert', () => {
  it('are those with the default tags where nothing is bound, without messengers that are not bound to a chat', async () => {
    expect(await toldOf(await raiseOne({ kind: 'detector' }))).toEqual(['default', 'detector']);
    expect(await toldOf(await raiseOne({ kind: 'trigger', group: 'trigger' }))).toEqual([
      'default',
      'detector',
    ]);
    expect(await toldOf(await raiseOne({ kind: 'action', group: 'action' }))).toEqual(['default', 'wallet']);
  });

  it('are those bound to the detector, the trigger alert or the action, and then no others', async () => {
    await world.bind(ids.bound!, ids.other!);
    const trigger = await world.ok('POST', 'trigger', {
      contractId: world.contractId,
      name: 'Calls',
      triggerType: 'FAILED_TX',
      alerts: [
        { severity: 'HIGH', name: 'One', destinations: [{ tenantDestinationId: ids.other }] },
        { severity: 'HIGH', name: 'Two', destinations: [{ tenantDestinationId: ids.bound }] },
      ],
    });
    const wallet = await world.ok('POST', 'wallet', {
      allowedCalls: null,
      tenantId: world.tenantId,
      name: 'Signer',
      chainUid: 'ethereum',
    });
    const action = await world.ok('POST', 'action', {
      contractId: world.contractId,
      walletId: wallet.id,
      name: 'Pause',
      funcSignature: 'pause()',
      destinations: [{ tenantDestinationId: ids.bound }],
    });
    expect(await toldOf(await raiseOne({ detectorId: world.detectorId }))).toEqual(['bound', 'other']);
    expect(await toldOf(await raiseOne({ detectorId: world.detectorId + 1 }))).toEqual([
      'default',
      'detector',
    ]);
    const triggered = (index: number) => ({
      kind: 'trigger' as const,
      group: 'trigger' as const,
      triggerId: trigger.id,
      meta: { triggerAlertId: trigger.alerts[index].id },
    });
    expect(await toldOf(await raiseOne(triggered(0)))).toEqual(['other']);
    expect(await toldOf(await raiseOne(triggered(1)), 'alert.trigger.raised')).toEqual(['bound']);
    const acted = { kind: 'action', group: 'action', actionId: action.id } as const;
    expect(await toldOf(await raiseOne(acted), 'action.submitted')).toEqual(['bound']);
    const failed = await raiseOne({ ...acted, meta: { outcome: 'failed' } });
    expect(await toldOf(failed, 'action.failed')).toEqual(['bound']);
    const { data } = await world.ok('GET', `destination/${ids.bound}/binding`);
    expect(data.map(({ kind, recordId, name }: Json) => [kind, recordId, name])).toEqual([
      ['action', action.id, 'Pause'],
      ['detector', world.detectorId, 'Engine'],
      ['trigger', trigger.id, 'Calls: Two'],
    ]);
  });

  it('is what the tags say where nothing that is bound can be reached, and of that only what it wanted', async () => {
    await world.bind({ tenantDestinationId: ids.bound, minSeverity: 'HIGH' }, ids.other!);
    const setStatus = (id: number, status: string) =>
      world.store.query(sql`update destination set status = ${status} where id = ${id}`);
    await setStatus(ids.bound!, 'DISABLED');
    expect(await toldOf(await raiseOne({ detectorId: world.detectorId, severity: 'HIGH' }))).toEqual([
      'other',
    ]);
    await world.bind({ tenantDestinationId: ids.bound, minSeverity: 'HIGH' });
    expect(await toldOf(await raiseOne({ detectorId: world.detectorId, severity: 'HIGH' }))).toEqual([
      'default',
      'detector',
    ]);
    expect(await toldOf(await raiseOne({ detectorId: world.detectorId, severity: 'LOW' }))).toEqual([]);
    await setStatus(ids.bound!, 'ACTIVE');
    expect(await toldOf(await raiseOne({ detectorId: world.detectorId, severity: 'HIGH' }))).toEqual([
      'bound',
    ]);
  });

  it('are none for suppressed or shadow alerts, and never those of another tenant', async () => {
    expect(await toldOf(await raiseOne({ suppressed: true }))).toEqual([]);
    expect(await toldOf(await raiseOne({ tags: ['shadow'] }))).toEqual([]);
    expect(await toldOf(await raiseOne({ tenantId: world.tenantId + 1 }))).toEqual([]);
  });

  it('is held to the severity and the query of each binding, which are checked when they are saved', async () => {
    await world.bind(
      { tenantDestinationId: ids.bound, minSeverity: 'HIGH' },
      { tenantDestinationId: ids.other, query: 'meta.caller:0x01 AND severity:(LOW OR HIGH)' },
    );
    const uids = await world.push(
      { severity: 'HIGH' },
      { severity: 'LOW', meta: { caller: '0x01' } },
      { severity: 'CRITICAL', meta: { caller: '0x01' } },
      { severity: 'HIGH', meta: { caller: '0x01' } },
      { severity: 'INFO' },
    );
    const told = await Promise.all(uids.map((uid) => toldOf(uid)));
    expect(told).toEqual([['bound'], ['other'], ['bound'], ['bound', 'other'], []]);
    const { data } = await world.ok('GET', `destination/${ids.other}/binding`);
    expect(data.at(-1) ?? data[0]).toMatchObject({ minSeverity: null });
    expect(data.map(({ query }: Json) => query)).toContain('meta.caller:0x01 AND severity:(LOW OR HIGH)');

    for (const [destinations, pointer, position] of [
      [[{ tenantDestinationId: ids.bound, query: 'severity:(HIGH' }], '/destinations/0/query', 15],
      [
        [{ tenantDestinationId: ids.bound }, { tenantDestinationId: ids.other, query: 'a AND' }],
        '/destinations/1/query',
        6,
      ],
    ] as const) {
      const answer = await world.call('PUT', `detector/${world.detectorId}`, { destinations });
      expect([answer.status, answer.body.errors[0].pointer, answer.body.position]).toEqual([
        400,
        pointer,
        position,
      ]);
    }
    const wrong = await world.call('PUT', `detector/${world.detectorId}`, {
      destinations: [{ tenantDestinationId: ids.bound, minSeverity: 'AWFUL' }],
    });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/destinations/0/minSeverity']);
    const inTrigger = await world.call('POST', 'trigger', {
      contractId: world.contractId,
      name: 'T',
      triggerType: 'FAILED_TX',
      alerts: [
        { severity: 'HIGH', name: 'A', destinations: [{ tenantDestinationId: ids.bound, query: '(' }] },
      ],
    });
    expect([inTrigger.status, inTrigger.body.errors[0].pointer]).toEqual([
      400,
      '/alerts/0/destinations/0/query',
    ]);
  });

  it('are never chosen by a query that names a member or value that does not exist', async () => {
    const { bound } = ids as Record<'bound', number>;
    const bind = (query: string) => [{ tenantDestinationId: bound, query }];
    const trigger = (query: string) => ({
      contractId: world.contractId,
      name: 'T',
      triggerType: 'FAILED_TX',
      alerts: [{ severity: 'HIGH', name: 'A', destinations: bind(query) }],
    });
    const detector = `detector/${world.detectorId}`;
    const resolve = 'alert/resolve';
    const refused: ['PUT' | 'POST' | 'GET', string, Json | undefined, string, RegExp][] = [
      ['PUT', detector, { destinations: bind('severty:HIGH') }, '/destinations/0/query', /mean 'severity'/],
      [
        'PUT',
        detector,
        { destinations: bind('a OR (b AND -severity:HIHG)') },
        '/destinations/0/query',
        /'HIGH'/,
      ],
      ['PUT', detector, { destinations: bind('severity:high') }, '/destinations/0/query', /'HIGH'/],
      ['PUT', detector, { destinations: bind('metta.amount:>5') }, '/destinations/0/query', /'meta.amount'/],
      ['PUT', detector, { destinations: bind('meta:>5') }, '/destinations/0/query', /meta.amount/],
      [
        'PUT',
        detector,
        { destinations: bind('severity.keyword:HIGH') },
        '/destinations/0/query',
        /'severity'/,
      ],
      ['PUT', detector, { destinations: bind('_exists_:severty') }, '/destinations/0/query', /'severity'/],
      ['PUT', detector, { destinations: bind('sevv\\*:HIGH') }, '/destinations/0/query', /no member/],
      ['POST', 'trigger', trigger('contractid:7'), '/alerts/0/destinations/0/query', /'contractId'/],
      ['PUT', `destination/${bound}`, { gets: [{}, { query: 'tag:x' }] }, '/gets/1/query', /'tags'/],
      [
        'POST',
        'view',
        { tenantId: world.tenantId, name: 'V', shared: true, query: 'kind:triger' },
        '/query',
        /'trigger'/,
      ],
      ['POST', resolve, { query: 'NOT severty:LOW', dryRun: true }, '', /'severity'/],
      ['GET', 'alert/stream?query=severty:HIGH&live=false', undefined, '', /'severity'/],
    ];
    for (const [method, path, body, pointer, message] of refused) {
      const answer = await world.call(method, path, body);
      const told = [answer.status, answer.body.errors?.[0].pointer ?? ''];
      expect({ path, body, told, detail: answer.body.detail }).toEqual({
        path,
        body,
        told: [400, pointer],
        detail: expect.stringMatching(message),
      });
      expect(answer.body.position).toBeGreaterThan(0);
    }
    const right =
      'severity:(HIGH OR "LOW") AND _exists_:meta AND ta\\*:x AND NOT name.keyword:y AND status:>A';
    await world.bind({ tenantDestinationId: bound, query: right });
    const bindings = async (): Promise<Json[]> =>
      (await world.ok('GET', `destination/${bound}/binding`)).data.filter(
        ({ kind }: Json) => kind === 'detector',
      );
    expect(await bindings()).toMatchObject([{ query: right, fault: null }]);

    // Saved before names were checked: it stays, and both readers and writers are told.
    await world.store.query(
      sql`update detector_destination set query = 'severty:HIGH' where query = ${right}`,
    );
    const [{ bindingId } = {}] = await bindings();
    expect(await bindings()).toMatchObject([{ fault: expect.stringContaining("'severity'") }]);
    const kept = { id: bindingId, tenantDestinationId: bound, query: 'severty:HIGH', minSeverity: 'LOW' };
    const sent = await world.call('PUT', detector, { destinations: [kept] });
    expect([sent.status, sent.headers.get('warning')]).toEqual([200, expect.stringContaining('severity')]);
    const moved = await world.call('PUT', detector, { destinations: [{ ...kept, query: 'severti:HIGH' }] });
    expect(moved.status).toBe(400);
  });

  it('are those that get alerts of the tenant, a project or a contract too, each alert once however many ways lead there', async () => {
    const gets = (id: number, ...rules: Json[]) => world.ok('PUT', `destination/${id}`, { gets: rules });
    const { other, bound } = ids as Record<'other' | 'bound', number>;
    const { projectId } = await world.ok('GET', `contract/${world.contractId}`);
    const { id: second } = await world.ok('POST', 'project', { tenantId: world.tenantId, name: 'Second' });
    const recipientsOf = async (members: Partial<Finding>) => toldOf(await raiseOne(members));
    const standard = ['default', 'detector'];
    // What is bound to nothing still goes where the tags say.
    await gets(other, { minSeverity: 'HIGH' });
    expect(await recipientsOf({ projectId, severity: 'HIGH' })).toEqual([...standard, 'other']);
    expect(await recipientsOf({ projectId, severity: 'MEDIUM' })).toEqual(standard);
    expect(await recipientsOf({ kind: 'action', group: 'action', severity: 'CRITICAL' })).toEqual([
      'default',
      'wallet',
      'other',
    ]);
    expect(await recipientsOf({ severity: 'HIGH', suppressed: true })).toEqual([]);
    expect(await recipientsOf({ severity: 'HIGH', tenantId: world.tenantId + 1 })).toEqual([]);
    await gets(other, { contractId: world.contractId, query: 'meta.caller:0x01' }, { projectId: second });
    expect(await recipientsOf({ projectId, meta: { caller: '0x01' } })).toEqual([...standard, 'other']);
    expect(await recipientsOf({ projectId, meta: { caller: '0x02' } })).toEqual(standard);
    expect(
      await recipientsOf({ projectId, meta: { caller: '0x01' }, contractId: world.contractId + 1 }),
    ).toEqual(standard);
    expect(await recipientsOf({ projectId: second })).toEqual([...standard, 'other']);
    // Bound, by two rules and by its tag: one delivery.
    await gets(bound, {}, { projectId }, { query: 'severity:HIGH' });
    await world.bind({ tenantDestinationId: bound, minSeverity: 'LOW' }, other);
    const uid = await raiseOne({ projectId, detectorId: world.detectorId, severity: 'HIGH' });
    expect(await toldOf(uid)).toEqual(['bound', 'other']);
    await gets(ids.default!, {});
    await world.bind();
    expect(await recipientsOf({ projectId })).toEqual([...standard, 'bound']);
    for (const id of [other, bound, ids.default!]) await gets(id);
  });

  it('get by a rule only what is the tenant’s own, and what is wrong with a rule is named where it stands', async () => {
    const rival = await world.ok('POST', 'tenant', { name: 'Rival' });
    const project = await world.ok('POST', 'project', { tenantId: rival.id, name: 'Theirs' });
    const path = `destination/${ids.other}`;
    for (const [rule, status, pointer] of [
      [{ projectId: project.id }, 422, '/gets/1/projectId'],
      [{ projectId: 987_654 }, 422, '/gets/1/projectId'],
      [{ contractId: 987_654 }, 422, '/gets/1/contractId'],
      [{ contractId: 1, projectId: 1 }, 400, '/gets/1/contractId'],
      [{ query: 'severity:(HIGH' }, 400, '/gets/1/query'],
      [{ minSeverity: 'AWFUL' }, 400, '/gets/1/minSeverity'],
      [{ everything: true }, 400, '/gets/1/everything'],
    ] as const) {
      const answer = await world.call('PUT', path, { gets: [{ minSeverity: 'LOW' }, rule] });
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([status, pointer]);
    }
    expect((await world.ok('GET', path)).gets).toEqual([]);
    const named = await world.ok('PUT', path, { name: 'Night shift', gets: [{ minSeverity: 'HIGH' }] });
    expect(named).toMatchObject({ name: 'Night shift' });
    expect((await world.ok('GET', path)).gets).toEqual([{ minSeverity: 'HIGH' }]);
    const uid = await raiseOne({ severity: 'HIGH' });
    const { deliveries } = await world.ok('GET', `alert/${uid}/outcome`);
    expect(deliveries.map(({ destinationName }: Json) => destinationName)).toContain('Night shift');
    await world.ok('PUT', path, { name: null, gets: [] });
  });

  it('get every member that a reader of the alert sees', () => {
    expect([...alertTable.columns.keys()].sort()).toEqual([...wholeAlert.names].sort());
  });
});

describe('afterwards', () => {
  const block = { number: 7, hash: '0xgone' };
  const inBlock = { chainUid: 'ethereum', blockNumber: block.number, blockHash: block.hash };
  const retractBlock = () =>
    world.store.transaction((tx) =>
      retractBlocks(tx, { chainUid: 'ethereum', blocks: [block], now: Date.now() }, [
        createNotifyOnRetractions({ now: Date.now }),
      ]),
    );
  const states = async (uid: string) =>
    (
      await world.store.query<{ type: string; state: string }>(
        sql`select type, state from delivery where alert_uid = ${uid}::uuid order by id`,
      )
    ).map(({ type, state }) => `${type} ${state}`);

  it('a retraction cancels what was not sent, and notifies exactly those who may have received it', async () => {
    await world.bind(ids.bound!, ids.other!);
    const uid = await raiseOne({ detectorId: world.detectorId, ...inBlock });
    await endDeliveries(world.store, 'DELIVERED', { destinationId: ids.bound! });
    await retractBlock();
    expect(await states(uid)).toEqual([
      'alert.detector.raised DELIVERED',
      'alert.detector.raised CANCELED',
      'alert.retracted PENDING',
    ]);
    expect(await toldOf(uid, 'alert.retracted')).toEqual(['bound']);
    await retractBlock();
    expect(await states(uid)).toHaveLength(3);
    const { data } = await world.deliveries(ids.other!);
    expect((await world.call('POST', `delivery/${data[0].uid}/replay`)).body.code).toBe('illegal-transition');
  });

  it('a delivery that may have got through although it failed is cancelled and taken back', async () => {
    await world.bind(ids.bound!);
    const uid = await raiseOne({ detectorId: world.detectorId, ...inBlock });
    await world.store.query(sql`update delivery set attempts = 1`);
    await retractBlock();
    expect(await states(uid)).toEqual(['alert.detector.raised CANCELED', 'alert.retracted PENDING']);
  });

  it('an alert that is raised again after a retraction is sent again', async () => {
    await world.bind(ids.bound!);
    const again = finding({ detectorId: world.detectorId, ...inBlock });
    await prepareRaise(world.store, [again]);
    const follow = [createNotifyOnAlerts({ links: world.services.alertLinks, now: Date.now })];
    const [first] = await world.store.transaction((tx) => raiseAlerts(tx, [again], follow));
    await endDeliveries(world.store, 'DELIVERED');
    await retractBlock();
    await world.store.transaction((tx) => raiseAlerts(tx, [again], follow));
    await world.store.transaction((tx) => raiseAlerts(tx, [again], follow));
    expect(await states(first!.uid)).toEqual([
      'alert.detector.raised DELIVERED',
      'alert.retracted PENDING',
      'alert.detector.raised PENDING',
    ]);
  });

  it('resolving notifies the recipients of the alert, once, one by one and in bulk', async () => {
    await world.bind(ids.bound!);
    const [one, two] = await world.push({ name: 'Bulky one' }, { name: 'Bulky two' });
    await world.ok('PUT', `alert/${one}`, { status: 'RESOLVED' });
    await world.ok('PUT', `alert/${one}`, { status: 'RESOLVED', tags: ['seen'] });
    await world.ok('POST', 'alert/resolve', { query: 'name:bulky' });
    expect(await toldOf(one!, 'alert.resolved')).toEqual(['bound']);
    expect(await toldOf(two!, 'alert.resolved')).toEqual(['bound']);
    const worker = world.work();
    const requests = await until(() => {
      const found = world.sink.received.filter(({ body }) => body.type === 'alert.resolved');
      return found.length === 2 ? found : undefined;
    });
    expect(requests.map(({ body }) => [body.data.uid, body.data.status])).toEqual([
      [one, 'RESOLVED'],
      [two, 'RESOLVED'],
    ]);
    await worker.stop();
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import { type Finding, severityOf } from '../../src/model/alert.ts';
import { createBuckets, parseInterval } from '../../src/query/interval.ts';
import { parseTimeZone } from '../../src/query/timeZone.ts';
import { packRollups } from '../../src/store/search/months/packRollups.ts';
import { createRandom, type Random } from '../../testing/createRandom.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { readVectors } from '../query/vectorDocuments.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll, randomFinding } from '../support/randomAlerts.ts';
import { share } from '../support/share.ts';
import { observe } from './support/observe.ts';

const quarter = 15 * 60_000;
const hour = 4 * quarter;
const day = 24 * hour;
const first = Date.UTC(2025, 0, 1);
const last = Date.UTC(2026, 2, 1);
/** The clocks of New York and Paris change here. */
const changes = [Date.UTC(2025, 2, 9, 7), Date.UTC(2025, 10, 2, 6), Date.UTC(2025, 2, 30, 1)];

let api: TestApi;
let world: World;
let contract: Json;
let random: Random;
let findings: Finding[];
let retracted: Set<Finding>;

beforeAll(async () => {
  api = observe(await startTestApi());
  world = await createWorld(api);
  contract = await createContract('0x00000000000000000000000000000000000000a1');
  random = createRandom('histograms');
  findings = Array.from({ length: 1500 }, (_, n) => {
    const ours = random.chance(0.8) ? contract : world.contract;
    const block = random.integer(1, 60);
    return {
      ...randomFinding(random, placeOf(ours), n, first, last),
      timestamp: randomInstant(),
      chainUid: 'anvil',
      blockNumber: block,
      blockHash: `0x${block}`,
    };
  });
  await raiseAll(api.store, findings);
  const blocks = [3, 14, 15, 59].map((number) => ({ number, hash: `0x${number}` }));
  await api.store.transaction((tx) => retractBlocks(tx, { chainUid: 'anvil', blocks, now: last }));
  retracted = new Set(findings.filter(({ blockNumber }) => [3, 14, 15, 59].includes(blockNumber!)));
});
afterAll(() => api.stop());

async function createContract(address: string): Promise<Json> {
  return api.ok('POST', 'contract', {
    projectId: world.project.id,
    name: 'Other',
    chainUid: 'anvil',
    address,
  });
}

function placeOf({ id }: Json) {
  return { tenantId: world.tenant.id, projectId: world.project.id, contractId: id };
}

/** Mostly anywhere, often on or next to where a quarter, a day or the clock changes. */
function randomInstant(): number {
  const anywhere = random.integer(first, last);
  const near = random.integer(-1, 1);
  return random.pick([
    () => anywhere,
    () => Math.floor(anywhere / quarter) * quarter + near,
    () => Math.floor(anywhere / day) * day + near,
    () => random.pick(changes) + random.integer(-2, 2) * hour + near,
  ])();
}

/** Counted one by one. */
function expected(request: Json, counts: (finding: Finding) => boolean): Json {
  const { from, to, interval, timezone = 'UTC' } = request;
  const buckets = createBuckets(parseInterval(interval, ''), parseTimeZone(timezone, ''));
  const data = new Map<number, Json>();
  for (let ts = buckets.start(from); ts <= to; ts = buckets.next(ts)) data.set(ts, {});
  const total: Json = { SECURITY: 0, COMPLIANCE: 0, action: 0, trigger: 0 };
  for (const finding of findings) {
    const { timestamp, group, severity, contractId } = finding;
    if (contractId !== contract.id || timestamp < from || timestamp > to || !counts(finding)) continue;
    const bucket = data.get(buckets.start(timestamp))!;
    bucket[group] ??= { count: 0, maxSeverity: 'INFO' };
    bucket[group].count++;
    if (severityOf[severity] > severityOf[bucket[group].maxSeverity as Finding['severity']])
      bucket[group].maxSeverity = severity;
    total[group]++;
  }
  return { data: Array.from(data, ([ts, bucket]) => ({ ts, bucket })), total };
}

async function ask(request: Json, id = contract.id): Promise<Json> {
  const { count: _count, ...answer } = await api.ok('POST', `contract/${id}/histogram`, request);
  return answer;
}

const intervals = '1m 10m 15m 20m 30m 1h 90m 3h 5h 12h 1d 36h 2d 7d 1w 1M 1q 1y month 45000s 100d'.split(' ');
const zones = [
  'UTC',
  'Z',
  '+05:45',
  '-09:30',
  '+14:00',
  '+00:07',
  'America/New_York',
  'Asia/Kolkata',
  'Europe/Paris',
  'Australia/Lord_Howe',
];

function randomRequest(): Json {
  const [a, b] = [randomInstant(), randomInstant()];
  const [interval, timezone] = [random.pick(intervals), random.pick(zones)];
  const parsed = parseInterval(interval, '');
  // Fine intervals over a short range, so that there are not too many.
  const width = parsed.type === 'fixed' ? parsed.ms : hour;
  const from = Math.min(a, b);
  const to = Math.min(Math.max(a, b), from + 2000 * (interval === '1m' ? 60_000 : width));
  return { from, to, interval, ...(random.chance(0.2) ? {} : { timezone }) };
}

describe('the histogram of a contract', () => {
  it('counts to the millisecond what a recount by hand counts, for every interval, zone and range tried', async () => {
    for (let round = 0; round < 200; round++) {
      if (round === 100) await packRollups(api.store, last, new AbortController().signal);
      const request = randomRequest();
      expect(await ask(request), JSON.stringify(request)).toEqual(
        expected(request, (finding) => !retracted.has(finding)),
      );
    }
  });

  it('includes an alert at its very start and its very end, and none a millisecond outside', async () => {
    for (const { timestamp } of findings.filter((_, n) => n % 100 === 0)) {
      for (const [from, to] of [
        [timestamp, timestamp],
        [timestamp - day, timestamp],
        [timestamp - day, timestamp - 1],
        [timestamp, timestamp + day],
        [timestamp + 1, timestamp + day],
      ]) {
        const request = { from, to, interval: '1d' };
        expect(await ask(request), JSON.stringify(request)).toEqual(
          expected(request, (finding) => !retracted.has(finding)),
        );
      }
    }
  });

  it('counts under a query what the query finds, and retracted alerts only where it names the status', async () => {
    const queries: Record<string, (finding: Finding) => boolean> = {
      '  ': (finding) => !retracted.has(finding),
      'severity:HIGH': (finding) => finding.severity === 'HIGH' && !retracted.has(finding),
      'kind:(action OR trigger)': (finding) => finding.kind !== 'detector' && !retracted.has(finding),
      'status:RETRACTED': (finding) => retracted.has(finding),
      'status:*': () => true,
      'NOT severity:HIGH AND tags:defi': (finding) =>
        finding.severity !== 'HIGH' && finding.tags.includes('defi') && !retracted.has(finding),
      'nothing:here': () => false,
    };
    for (const [query, counts] of Object.entries(queries)) {
      for (let round = 0; round < 8; round++) {
        const request = randomRequest();
        expect(await ask({ ...request, query }), `${query} ${JSON.stringify(request)}`).toEqual(
          expected(request, counts),
        );
      }
    }
  });

  it('is the same with a query that finds everything as without one', async () => {
    for (let round = 0; round < 40; round++) {
      const request = randomRequest();
      // It names what the roll-ups do not count, so that the alerts themselves are read.
      const read = await ask({ ...request, query: 'timestamp:>=0' });
      expect(read, JSON.stringify(request)).toEqual(await ask(request));
    }
  });

  it('begins its buckets where the vectors say', async () => {
    const { rounding, dense, invalidIntervals } = JSON.parse(readVectors('histogram-vectors.json'));
    const marked = await createContract('0x00000000000000000000000000000000000000a2');
    const sample = rounding.filter(({ t }: Json, n: number) => t >= 0 && (n % 3 === 0 || t === 0));
    expect(sample.length).toBeGreaterThan(250);
    const times = new Set<number>(sample.map(({ t }: Json) => t));
    const marks = Array.from(times, (timestamp, n) => ({
      ...randomFinding(random, placeOf(marked), n, first, last),
      timestamp,
      kind: 'action' as const,
      group: 'action' as const,
      severity: 'LOW' as const,
    }));
    await raiseAll(api.store, marks);
    for (const { interval, timezone, t, bucket } of sample) {
      const { data } = await ask({ from: t, to: t, interval, timezone }, marked.id);
      const found = [{ ts: bucket, bucket: { action: { count: 1, maxSeverity: 'LOW' } } }];
      expect(data, `${interval} ${timezone} ${t}`).toEqual(found);
    }
    for (const { buckets, ...request } of dense) {
      expect((await ask(request)).data.map(({ ts }: Json) => ts)).toEqual(buckets);
    }
    for (const interval of invalidIntervals) {
      const answer = await api.call('POST', `contract/${contract.id}/histogram`, {
        from: 0,
        to: 1,
        interval,
      });
      expect([answer.status, answer.body.errors[0].pointer], interval).toEqual([400, '/interval']);
    }
  });

  it('counts the active detectors by category, the triggers and the actions of the contract', async () => {
    const empty = await createContract('0x00000000000000000000000000000000000000a3');
    const request = { from: 0, to: day, interval: '1d' };
    const counts = async () => (await api.ok('POST', `contract/${empty.id}/histogram`, request)).count;
    expect(await counts()).toEqual({ SECURITY: 0, COMPLIANCE: 0, action: 0, trigger: 0 });
    const detectors: Json[] = [];
    for (const tags of [['SECURITY'], ['OPERATIONAL'], ['COMPLIANCE'], ['x', 'FINANCIAL'], []]) {
      const schema = { title: 'Schema', name: `histogram_${detectors.length}`, version: '1.0.0', tags };
      const { id } = await api.ok('POST', 'detector/schema', schema);
      detectors.push(await api.ok('POST', 'detector', { contractId: empty.id, schemaId: id, name: 'D' }));
    }
    const trigger = { contractId: empty.id, name: 'T', triggerType: 'FUNCTION_CALL' };
    const triggers = [await api.ok('POST', 'trigger', trigger), await api.ok('POST', 'trigger', trigger)];
    const action = { contractId: empty.id, walletId: world.wallet.id, name: 'A', funcSignature: 'pause()' };
    await api.ok('POST', 'action', action);
    expect(await counts()).toEqual({ SECURITY: 3, COMPLIANCE: 2, action: 1, trigger: 2 });
    await api.ok('PUT', `detector/${detectors[0]!.id}`, { status: 'DISABLED' });
    await api.ok('DELETE', `detector/${detectors[2]!.id}`);
    await api.ok('DELETE', `trigger/${triggers[0]!.id}`);
    expect(await counts()).toEqual({ SECURITY: 2, COMPLIANCE: 1, action: 1, trigger: 1 });
    expect(
      (await api.ok('POST', `contract/${empty.id}/histogram`, { ...request, query: 'x' })).count,
    ).toEqual(await counts());
  });

  it('is shown to callers who may see the contract, and to no one else', async () => {
    const request = { from: first, to: last, interval: '1M' };
    const stranger = await createWorld(api);
    const tokens = {
      own: await api.token(world.tenant.id, 'tenant-viewer'),
      organisation: await api.token(world.tenant.id, 'organisation-viewer'),
      stranger: await api.token(stranger.tenant.id, 'tenant-manager', 'organisation-manager'),
    };
    const path = `contract/${contract.id}/histogram`;
    const whole = await api.ok('POST', path, request);
    expect(whole.total.SECURITY).toBeGreaterThan(0);
    expect(await api.ok('POST', path, request, { token: tokens.own })).toEqual(whole);
    expect(await api.ok('POST', path, request, { token: tokens.organisation })).toEqual(whole);
    const sent = { token: tokens.stranger, headers: { 'x-request-id': 'twin' } };
    const hidden = await api.call('POST', path, request, sent);
    const unknown = await api.call('POST', 'contract/987654321/histogram', request, sent);
    expect([hidden.status, hidden.text.replace(String(contract.id), '987654321')]).toEqual([
      404,
      unknown.text,
    ]);
    await share(api, world.project.id, [stranger.tenant.id]);
    expect(await api.ok('POST', path, request, sent)).toEqual(whole);
    await api.ok('PUT', `project/${world.project.id}`, { viewTenantIds: [] });
  });
});

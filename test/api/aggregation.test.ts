import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertUid } from '../../src/alerts/alertUid.ts';
import { sql } from '../../src/lib/sql.ts';
import { type Finding, severityOf } from '../../src/model/alert.ts';
import { namedFields } from '../../src/query/lucene/namedFields.ts';
import { parseQuery } from '../../src/query/lucene/parser.ts';
import { type Json, startTestApi, type TestApi } from '../harness/api.ts';
import { createRandom, type Random } from '../support/random.ts';
import { raiseAll, randomFinding, randomQuery } from '../support/randomAlerts.ts';
import { createWorld, type World } from '../support/world.ts';
import { type Item, matching, naiveAggregate } from './support/naiveAggregate.ts';
import { randomItems } from './support/randomItems.ts';

let api: TestApi;
let own: World;
let foreign: World;
let sharing: World;
let viewer: string;
let admin: string;
/** Every alert there is, and those that the viewer may see. */
let documents: Json[];
let visible: Json[];

const day = 86_400_000;
const end = Date.UTC(2026, 10, 15);

beforeAll(async () => {
  api = await startTestApi();
  [own, foreign, sharing] = [await createWorld(api), await createWorld(api), await createWorld(api)];
  const tenantId = own.tenant.id;
  await api.ok('PUT', `project/${sharing.project.id}`, { viewTenantIds: [tenantId] });
  viewer = await api.token(tenantId, 'tenant-viewer');
  admin = api.adminToken;
  const random = createRandom('aggregated alerts');
  const places = [
    ...[1, 2, 3, 4].map((n) => placeOf(own, n)),
    placeOf(foreign),
    { ...placeOf(foreign), contractId: 900 },
    placeOf(sharing),
    // Of the same tenant, but in no project that is shared.
    { ...placeOf(sharing), contractId: 901 },
  ];
  const findings = Array.from({ length: 900 }, (_, n) => finding(random, random.pick(places), n));
  await raiseAll(api.store, findings);
  documents = findings.map(document);
  for (const alert of documents.filter((_, n) => n % 20 === 0)) await retract(alert);
  visible = documents.filter(
    (alert) => alert.tenantId === tenantId || alert.contractId === sharing.contract.id,
  );
});
afterAll(() => api.stop());

function placeOf(world: World, n = 1) {
  const contractId = n === 1 ? world.contract.id : 1000 + n;
  return { tenantId: world.tenant.id, projectId: world.project.id, contractId };
}

function finding(random: Random, place: ReturnType<typeof placeOf>, n: number): Finding {
  const { chance, pick, integer } = random;
  const plain = randomFinding(random, place, n, end - 150 * day, end);
  const many = Array.from({ length: integer(0, 3) }, () => integer(-8, 8) / 4);
  const meta = {
    ...plain.meta,
    ...(chance(0.4) ? { many: chance(0.5) ? many : [many, pick([1, true, 'text'])] } : {}),
    ...(chance(0.4) ? { mixed: pick([1, 0, true, false, 'true', 2.5]) } : {}),
    ...(chance(0.3) ? { toAddress: pick(['0xAb', '0xaB', '0xcd']) } : {}),
  };
  const tags = chance(0.2) ? [...plain.tags, ...plain.tags] : plain.tags;
  const block = chance(0.3) ? { chainUid: pick(['anvil', 'ethereum']), blockNumber: integer(1, 40) } : {};
  return { ...plain, meta, tags, suppressed: chance(0.2), ...block };
}

/** The alert as a reader sees it, made from the finding by other code than the store's. */
function document({ key, ...rest }: Finding): Json {
  return {
    ...rest,
    uid: alertUid({ key, ...rest }),
    numericSeverity: severityOf[rest.severity],
    status: 'UNRESOLVED',
    finality: rest.blockNumber === undefined ? 'FINAL' : 'HEAD',
  };
}

async function retract(alert: Json): Promise<void> {
  alert.status = 'RETRACTED';
  alert.retractedAt = alert.timestamp + day;
  await api.store.query(
    sql`update alert set retracted_at = ${alert.retractedAt} where timestamp = ${alert.timestamp} and uid = ${alert.uid}`,
  );
}

/** Retracted alerts are left out unless the query speaks of them. */
function found(alerts: readonly Json[], query?: string): readonly Json[] {
  const names = query?.trim() ? namedFields(parseQuery(query)) : new Set<string>();
  const shown = names.has('status') || names.has('retractedAt');
  return matching(shown ? alerts : alerts.filter(({ status }) => status !== 'RETRACTED'), query);
}

const aggregate = (body: Json, path = 'alert/aggregation') => api.call('POST', path, body, { token: viewer });

async function data(aggregation: Item[], more: Json = {}): Promise<Json> {
  const answer = await aggregate({ aggregation, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

/** Sums of fractions may differ in their last digits, which depend on the order. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member) =>
    typeof member === 'number' ? Number(member.toPrecision(12)) : member,
  );
}

function countBuckets(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = 'buckets' in value && Array.isArray(value.buckets) ? value.buckets.length : 0;
  return Object.values(value).reduce((sum: number, member) => sum + countBuckets(member), own);
}

async function expectRight(
  aggregation: Item[],
  more: Json = {},
  alerts: readonly Json[] = visible,
): Promise<void> {
  const answer = await aggregate({ aggregation, ...more });
  const documents = found(alerts, more.query);
  const right = naiveAggregate(documents, aggregation);
  const request = JSON.stringify({ aggregation, ...more });
  if (countBuckets(right) > 10_000) {
    expect(answer.body.errors?.[0].code, request).toBe('too-many-buckets');
    return;
  }
  expect(answer.status, `${request}: ${answer.text}`).toBe(200);
  expect(rounded(answer.body.data), request).toEqual(rounded(right));
  expect(answer.body.total, request).toBe(documents.length);
}

describe('an aggregation', () => {
  it('answers what a plain computation over the same alerts answers, for random items and queries', async () => {
    const random = createRandom('random aggregations');
    for (let n = 0; n < 250; n++) {
      const query = random.chance(0.4) ? { query: readable(random) } : {};
      await expectRight(withReadableQueries(randomItems(random), random), query);
    }
  });
});

function readable(random: Random): string {
  for (;;) {
    const query = randomQuery(random);
    if (query.includes('now')) continue;
    try {
      matching([], query);
      return query;
    } catch {}
  }
}

function withReadableQueries(items: readonly Item[], random: Random): Item[] {
  return items.map(({ aggregation, query, ...item }) => ({
    ...item,
    ...(query === undefined ? {} : { query: readable(random) }),
    ...(aggregation
      ? {
          aggregation: aggregation.map((element) =>
            typeof element === 'string' ? element : withReadableQueries([element], random)[0]!,
          ),
        }
      : {}),
  }));
}

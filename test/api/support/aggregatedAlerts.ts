import { alertUid } from '../../../src/alerts/alertUid.ts';
import { raw, sql } from '../../../src/lib/sql.ts';
import { type Finding, severityOf } from '../../../src/model/alert.ts';
import { namedFields } from '../../../src/query/lucene/namedFields.ts';
import { parseQuery } from '../../../src/query/lucene/parseQuery.ts';
import { addToRollups } from '../../../src/store/search/rollups/rollups.ts';
import { createRandom, type Random } from '../../../testing/createRandom.ts';
import type { Json, TestApi } from '../../../testing/startTestApi.ts';
import { createWorld, type World } from '../../support/createWorld.ts';
import { raiseAll, randomFinding } from '../../support/randomAlerts.ts';
import { share } from '../../support/share.ts';
import { matching } from './naiveAggregate.ts';

export type AggregatedAlerts = {
  own: World;
  foreign: World;
  /** Its project is shared with the first tenant. */
  sharing: World;
  /** A token of the first tenant. */
  viewer: string;
  documents: readonly Json[];
  /** Those of the first tenant, and of the contract that is shared with it. */
  visible: readonly Json[];
};

const day = 86_400_000;
export const end = Date.UTC(2026, 10, 15);

/** Random alerts of three tenants up to `end`, some of them retracted. */
export async function createAggregatedAlerts(api: TestApi, count: number): Promise<AggregatedAlerts> {
  const [own, foreign, sharing] = [await createWorld(api), await createWorld(api), await createWorld(api)];
  const tenantId = own.tenant.id;
  await share(api, sharing.project.id, [tenantId]);
  const random = createRandom('aggregated alerts');
  const places = [
    placeOf(own),
    ...[1001, 1002, 1003].map((contractId) => ({ ...placeOf(own), contractId })),
    placeOf(foreign),
    { ...placeOf(foreign), contractId: 900 },
    placeOf(sharing),
    // Of the same tenant, but in no project that is shared.
    { ...placeOf(sharing), contractId: 901 },
  ];
  const findings = Array.from({ length: count }, (_, n) => finding(random, random.pick(places), n));
  await raiseAll(api.store, findings);
  const documents = findings.map(document);
  for (const alert of documents.filter((_, n) => n % 20 === 0)) await retract(api, alert);
  const visible = documents.filter(
    (alert) => alert.tenantId === tenantId || alert.contractId === sharing.contract.id,
  );
  return { own, foreign, sharing, viewer: await api.token(tenantId, 'tenant-viewer'), documents, visible };
}

/** Retracted alerts are left out unless the query speaks of them. */
export function found(alerts: readonly Json[], query?: string): readonly Json[] {
  const names = query?.trim() ? namedFields(parseQuery(query)) : new Set<string>();
  const shown = names.has('status') || names.has('retractedAt');
  return matching(shown ? alerts : alerts.filter(({ status }) => status !== 'RETRACTED'), query);
}

export function placeOf(world: World): { tenantId: number; projectId: number; contractId: number } {
  return { tenantId: world.tenant.id, projectId: world.project.id, contractId: world.contract.id };
}

/** With members of `meta` that have many values, at many depths and of many types. */
function finding(random: Random, place: ReturnType<typeof placeOf>, n: number): Finding {
  const { chance, pick, integer } = random;
  const plain = randomFinding(random, place, n, end - 150 * day, end);
  const many = Array.from({ length: integer(0, 3) }, () => integer(-8, 8) / 4);
  const rows = pick([{ n: 1 }, [{ n: 1 }, { n: 2 }], [{ n: [2, 2, 3] }, 5], 4, []]);
  const meta = {
    ...plain.meta,
    ...(chance(0.4) ? { many: chance(0.5) ? many : [many, pick([1, true, 'text'])] } : {}),
    ...(chance(0.4) ? { mixed: pick([1, 0, true, false, 'true', 2.5]) } : {}),
    ...(chance(0.4) ? { rows } : {}),
    ...(chance(0.3) ? { toAddress: pick(['0xAb', '0xaB', '0xcd']) } : {}),
  };
  const tags = chance(0.2) ? [...plain.tags, ...plain.tags] : plain.tags;
  const block = chance(0.3) ? { chainUid: pick(['anvil', 'ethereum']), blockNumber: integer(1, 40) } : {};
  return { ...plain, meta, tags, suppressed: chance(0.2), backfilled: false, ...block };
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

async function retract(api: TestApi, alert: Json): Promise<void> {
  alert.status = 'RETRACTED';
  alert.retractedAt = alert.timestamp + day;
  await api.store.query(
    sql`with retracted as (
        update alert set retracted_at = ${alert.retractedAt} where timestamp = ${alert.timestamp} and uid = ${alert.uid}
        returning *)
      ${addToRollups(raw('retracted'), -1)}`,
  );
}

import { sql } from '../../../src/lib/sql.ts';
import type { IntentState } from '../../../src/model/action.ts';
import { eidSql } from '../../../src/store/search/documents/packedHashes.ts';
import type { TestWatch } from '../../../testing/startTestWatch.ts';
import { until } from '../../../testing/until.ts';
import { numberIn } from './addGuard.ts';

export type Intent = {
  tenantId: number;
  /** Of the alert that fired it; it is the first parameter of the call. */
  number: number;
  state: IntentState;
  reason: string | null;
  nonce: number | null;
  attempts: number;
  /** The outcomes that its alerts report, in no order. */
  outcomes: string[];
};

/** Everything that was ever meant to be fired, oldest first. Citus joins no alerts with intents, but the result of a query. */
export async function findIntents({ store }: TestWatch): Promise<Intent[]> {
  const intents = await store.query<Omit<Intent, 'outcomes'> & { uid: string }>(
    sql`with alerts as materialized (select t.tenant_id, t.timestamp, t.uid, ${eidSql}::int as number from alert t
        where t.kind <> 'action')
      select i.tenant_id as "tenantId", i.uid::text, t.number, i.state, i.reason, i.nonce,
        (select count(*)::int from action_transaction a where a.tenant_id = i.tenant_id and a.intent_id = i.id) as attempts
      from action_intent i join alerts t on t.tenant_id = i.tenant_id and t.uid = i.alert_uid
        and t.timestamp = i.alert_timestamp
      order by i.id`,
  );
  const outcomes = await store.query<{ uid: string; outcome: string }>(
    sql`select meta ->> 'intentUid' as uid, meta ->> 'outcome' as outcome from alert where kind = 'action' order by 2`,
  );
  const byIntent = new Map<string, string[]>(intents.map(({ uid }) => [uid, []]));
  for (const { uid, outcome } of outcomes) byIntent.get(uid)?.push(outcome);
  return intents.map(({ uid, ...intent }) => ({ ...intent, outcomes: byIntent.get(uid)! }));
}

/** Waits until nothing is under way any more, or it is over for another reason; `meanwhile` runs between two looks. */
export async function ended(
  { store }: TestWatch,
  meanwhile: () => unknown = () => {},
  isOver = () => false,
): Promise<void> {
  await until(async () => {
    await meanwhile();
    if (isOver()) return true;
    const [open] = await store.query(
      sql`select 1 from action_intent where state in ('WAITING', 'SIGNED', 'SUBMITTED') limit 1`,
    );
    return !open;
  }, 120_000);
}

/** As if all leases had expired. */
export async function expireLeases({ store }: TestWatch): Promise<void> {
  await store.query(sql`update action_intent set lease_until = null where lease_until is not null`);
}

/** As if the time had passed until things are looked at again. */
export async function skipWaits({ store }: TestWatch): Promise<void> {
  await store.query(
    sql`with moved as (update action_intent set next_attempt_at = 0
        where state in ('WAITING', 'SIGNED', 'SUBMITTED') and next_attempt_at > 0 returning 1)
      select announce('vigil_action') from moved limit 1`,
  );
}

/** What is wrong with intents that should all have been mined: each once, each reported once, their nonces without a gap. */
export function faultsOf(
  intents: readonly Intent[],
  mined: readonly { nonce: number; data: string }[],
): unknown[] {
  const counts = new Map<number, number>();
  for (const { data } of mined) counts.set(numberIn(data), (counts.get(numberIn(data)) ?? 0) + 1);
  const odd = intents.filter(
    ({ number, state, outcomes, attempts }) =>
      state !== 'CONFIRMED' || counts.get(number) !== 1 || outcomes.join() !== expectedOutcomes(attempts),
  );
  const nonces = mined.map(({ nonce }) => nonce).sort((one, other) => one - other);
  const gaps = nonces.filter((nonce, place) => nonce !== place);
  const strangers = counts.size - intents.length;
  return [...odd, ...gaps.map((gap) => ({ gap })), ...(strangers === 0 ? [] : [{ strangers }])];
}

function expectedOutcomes(attempts: number): string {
  return ['confirmed', ...Array.from({ length: attempts - 1 }, () => 'replaced'), 'submitted'].join();
}

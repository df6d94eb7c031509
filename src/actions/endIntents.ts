import { cutText } from '../lib/cutText.ts';
import { groupBy } from '../lib/groupBy.ts';
import { settleAll } from '../lib/settleAll.ts';
import type { Finding } from '../model/alert.ts';
import { Problem } from '../model/errors.ts';
import { lastAttempt, type SentIntent, type WaitingIntent } from '../store/actions/claimIntents.ts';
import { type SettledIntent, settleIntents } from '../store/actions/settleIntents.ts';
import type { Db } from '../store/db/db.ts';
import type { OutcomeContext } from './actionContext.ts';
import { raiseOutcomeAlerts, toOutcomeFinding } from './raiseOutcomeAlerts.ts';

export type Ending = {
  intent: WaitingIntent | SentIntent;
  state: SettledIntent['state'];
  reason?: string;
  /** An earlier outcome that a crash left without its alert. */
  unreported?: Finding;
  address?: string;
  mined?: { txHash: string; blockNumber: number; blockHash: string; cost: bigint };
};

/** Texts from contracts and scripts may have any length. */
const maxReasonLength = 500;

/** Ends intents and raises their alerts, once. They belong to many tenants: one that cannot be written does not block the others. */
export async function endIntents(context: OutcomeContext, endings: readonly Ending[]): Promise<void> {
  if (endings.length === 0) return;
  const shortened = endings.map((ending) =>
    ending.reason === undefined ? ending : { ...ending, reason: cutText(ending.reason, maxReasonLength) },
  );
  const groups = await apartByTenant(context.store, shortened);
  await settleAll(groups.map((group) => endTogether(context, group)));
}

/** Each tenant's by themselves where its alerts are on a worker: one that does not answer must not hold up the tenants of others. */
export async function apartByTenant<Item extends { intent: { tenantId: number } }>(
  db: Db,
  items: readonly Item[],
): Promise<(readonly Item[])[]> {
  if (!(await db.isDistributed())) return [items];
  return [...groupBy(items, ({ intent }) => intent.tenantId).values()];
}

async function endTogether(context: OutcomeContext, endings: readonly Ending[]): Promise<void> {
  try {
    await endInTransaction(context, endings);
  } catch (error) {
    const isDown = error instanceof Problem && error.code === 'unavailable';
    if (isDown || endings.length === 1) throw error;
    let fault: unknown;
    for (const ending of endings)
      await endInTransaction(context, [ending]).catch((failure: unknown) => {
        fault ??= failure;
      });
    if (fault) throw fault;
  }
}

async function endInTransaction(context: OutcomeContext, endings: readonly Ending[]): Promise<void> {
  const { store, now, alerts, onStep } = context;
  const time = now();
  const reports = endings.flatMap((ending) => {
    const { intent, state, reason, unreported, address, mined } = ending;
    if (state !== 'CONFIRMED' && state !== 'FAILED') return [];
    const finding = toOutcomeFinding(intent, {
      outcome: state === 'CONFIRMED' ? 'confirmed' : 'failed',
      at: time,
      reason: reason ?? null,
      ...(address ? { address } : {}),
      ...(mined ? { txHash: mined.txHash, mined } : {}),
    });
    return [{ id: intent.id, findings: unreported ? [unreported, finding] : [finding] }];
  });
  await alerts.prepare(reports.flatMap(({ findings }) => findings));
  await onStep('before the end is written');
  await store.transaction(async (tx) => {
    const ended = await settleIntents(tx, endings.map(toSettled), time);
    const fresh = reports.filter(({ id }) => ended.has(id)).flatMap(({ findings }) => findings);
    await raiseOutcomeAlerts(tx, context, fresh);
    await onStep('while the end is written');
  });
  await onStep('after the end is written');
}

function toSettled({ intent, state, reason, mined }: Ending): SettledIntent {
  return {
    tenantId: intent.tenantId,
    id: intent.id,
    state,
    reason: reason ?? null,
    lastHash: 'attempts' in intent ? lastAttempt(intent).hash : null,
    mined: mined ? { txHash: mined.txHash, block: mined.blockNumber, cost: mined.cost } : null,
  };
}

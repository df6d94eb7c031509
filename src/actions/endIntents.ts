import type { Finding } from '../model/alert.ts';
import type { SentIntent, WaitingIntent } from '../store/actions/claimIntents.ts';
import { type Settled, settleIntents } from '../store/actions/settleIntents.ts';
import type { Acting } from './acting.ts';
import { tellOutcomes, toFinding } from './tellOutcomes.ts';

export type Ending = {
  intent: WaitingIntent | SentIntent;
  state: Settled['state'];
  reason?: string;
  /** What has to be told beside the end itself, because it was not told yet. */
  before?: Finding;
  address?: string;
  mined?: { txHash: string; blockNumber: number; blockHash: string; cost: bigint };
};

/** Writes how intents ended and tells of it, in one transaction and once. */
export async function endIntents(acting: Acting, endings: readonly Ending[]): Promise<void> {
  if (endings.length === 0) return;
  const { store, now, alerts, reached } = acting;
  const at = now();
  const told = endings.flatMap((ending) => {
    const { intent, state, reason, before, address, mined } = ending;
    if (state !== 'CONFIRMED' && state !== 'FAILED') return [];
    const finding = toFinding(intent, {
      outcome: state === 'CONFIRMED' ? 'confirmed' : 'failed',
      at,
      reason: reason ?? null,
      ...(address ? { address } : {}),
      ...(mined ? { txHash: mined.txHash, mined } : {}),
    });
    return [{ id: intent.id, findings: before ? [before, finding] : [finding] }];
  });
  await alerts.prepare(told.flatMap(({ findings }) => findings));
  await reached('before the end is written');
  await store.transaction(async (tx) => {
    const ended = await settleIntents(tx, endings.map(toSettled), at);
    const fresh = told.filter(({ id }) => ended.has(id)).flatMap(({ findings }) => findings);
    await tellOutcomes(tx, acting, fresh);
    await reached('while the end is written');
  });
  await reached('after the end is written');
}

function toSettled({ intent, state, reason, mined }: Ending): Settled {
  return {
    tenantId: intent.tenantId,
    id: intent.id,
    state,
    reason: reason ?? null,
    lastHash: 'attempts' in intent ? intent.attempts.at(-1)!.hash : null,
    mined: mined ? { txHash: mined.txHash, block: mined.blockNumber, cost: mined.cost } : null,
  };
}

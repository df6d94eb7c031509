import { cutText } from '../lib/cutText.ts';
import type { Finding } from '../model/alert.ts';
import { Problem } from '../model/errors.ts';
import type { SentIntent, WaitingIntent } from '../store/actions/claimIntents.ts';
import { type Settled, settleIntents } from '../store/actions/settleIntents.ts';
import type { Telling } from './acting.ts';
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

/** Enough for any message of ours; what contracts and scripts say may be of any length. */
const mostReason = 500;

/** Writes how intents ended and tells of it, once. They are of many tenants: one that cannot be written holds up no other. */
export async function endIntents(telling: Telling, endings: readonly Ending[]): Promise<void> {
  if (endings.length === 0) return;
  const short = endings.map((ending) =>
    ending.reason === undefined ? ending : { ...ending, reason: cutText(ending.reason, mostReason) },
  );
  try {
    await endTogether(telling, short);
  } catch (error) {
    const isDown = error instanceof Problem && error.code === 'unavailable';
    if (isDown || short.length === 1) throw error;
    let fault: unknown;
    for (const ending of short)
      await endTogether(telling, [ending]).catch((failure: unknown) => {
        fault ??= failure;
      });
    if (fault) throw fault;
  }
}

/** In one transaction. */
async function endTogether(telling: Telling, endings: readonly Ending[]): Promise<void> {
  const { store, now, alerts, reached } = telling;
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
    await tellOutcomes(tx, telling, fresh);
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

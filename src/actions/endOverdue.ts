import { claimWaiting } from '../store/actions/claimIntents.ts';
import { type Telling, validMs } from './acting.ts';
import { endIntents } from './endIntents.ts';
import { whyOver } from './whyOver.ts';

const mostAtOnce = 100;

/** Ends what of a tenant waits in vain on a chain on which nothing can be sent from here; returns how many there were. */
export async function endOverdue(telling: Telling, chainUid: string, tenantId: number): Promise<number> {
  const at = telling.now();
  const place = { chainUid, tenantId, canSend: false };
  const claimed = await claimWaiting(telling.store, place, mostAtOnce, at, at - validMs);
  await endIntents(
    telling,
    claimed.flatMap((intent) => whyOver(intent, at, false) ?? []),
  );
  return claimed.length;
}

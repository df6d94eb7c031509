import type { SubscriberRef } from '../../matching/subscriber.ts';
import type { Finding } from '../../model/alert.ts';
import type { Db } from '../../store/db/db.ts';
import type { LoopingScript } from '../subscribers/openFaultLedger.ts';
import { switchOffSubscriber } from '../subscribers/switchOffSubscriber.ts';
import type { PipelineContext } from './createPipelineContext.ts';

/** Blocks in a row in which a script may run into its time limit before it is switched off. */
const maxLoopedBlocks = 5;

/** Switches off the subscribers whose scripts ran into their time limit too often; returns the alerts for their owners. */
export async function switchOffLooping(
  tx: Db,
  { auditKeys, now }: Pick<PipelineContext, 'auditKeys' | 'now'>,
  looping: readonly LoopingScript[],
): Promise<{ notices: Finding[]; switchedOff: SubscriberRef[] }> {
  const notices: Finding[] = [];
  const switchedOff: SubscriberRef[] = [];
  for (const { fault, looped, loopedFrom } of looping) {
    if (looped < maxLoopedBlocks) continue;
    const { subscriber } = fault;
    const [first, last] = [loopedFrom ?? -1, fault.loopedAt ?? -1];
    // Runs by the clock have no block.
    const hasBlocks = first >= 0;
    const notice = await switchOffSubscriber(tx, auditKeys, {
      subscriber,
      reason: `its script did not end within its time ${hasBlocks ? `in ${looped} blocks` : `${looped} times`} in a row`,
      ...(hasBlocks ? { failed: { first, last } } : {}),
      at: fault.at,
      now: now(),
    });
    if (!notice) continue;
    notices.push(notice);
    switchedOff.push(subscriber);
  }
  return { notices, switchedOff };
}

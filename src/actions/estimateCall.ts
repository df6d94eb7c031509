import type { Prepared } from '../chains/transactor.ts';
import { explainRevert } from './explainRevert.ts';

/** An estimate above this is more likely a trap than a call, unless the action itself asks for it. */
const mostGas = 10_000_000n;

/** How much gas to give a call, or why it must not be made. */
export function estimateCall(
  { gasLimit }: { gasLimit: number | null },
  estimate: Prepared['estimates'][number],
  abi: readonly unknown[],
): { gasLimit: bigint } | { reason: string } {
  if ('reverted' in estimate)
    return { reason: `The call would fail: ${explainRevert(estimate.reverted, abi)}.` };
  const { gas } = estimate;
  if (gasLimit !== null) {
    if (gas <= BigInt(gasLimit)) return { gasLimit: BigInt(gasLimit) };
    return { reason: `The call needs about ${gas} gas, and the action's limit is ${gasLimit}.` };
  }
  if (gas > mostGas)
    return {
      reason: `The call needs about ${gas} gas; above ${mostGas} the action must set its gas limit itself.`,
    };
  const roomy = (gas * 110n) / 100n;
  return { gasLimit: roomy > mostGas ? mostGas : roomy };
}

import type { EvaluationFault } from '../../matching/evaluateMatches.ts';
import { commitInPlace, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';

/**
 * Records in the second attempt that an evaluation waits for reads: the first may have met a hiccup. The caller has its
 * turn with the blocks.
 */
export async function reportWaiting(
  context: PipelineContext,
  { attempts }: { attempts: number },
  fault: EvaluationFault | undefined,
): Promise<void> {
  if (!fault || attempts !== 1) return;
  const outcome = { subscriber: fault.subscriber, fault: { ...fault, isWaiting: true } };
  await commitInPlace(context, createWrites({ outcomes: [outcome] }));
}

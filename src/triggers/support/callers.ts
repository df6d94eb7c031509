import { Type } from 'typebox';
import { evmFormat } from '../../codecs/evm/evmFormat.ts';
import { Configuration, InnerCalls } from '../../evidence/parameters.ts';
import type { Detection, EvaluationContext, Observation } from '../../model/detection.ts';
import { observedCall } from '../../model/frames.ts';
import { memoizeParams } from './memoizeParams.ts';
import { sentence } from './sentence.ts';

type Params = { callers: string[]; innerCalls: boolean };

export function CallerList(description: string) {
  return Configuration(
    {
      callers: Type.Array(Type.String({ format: evmFormat.address }), {
        description,
        minItems: 1,
        maxItems: 10_000,
        uniqueItems: true,
      }),
      innerCalls: InnerCalls(false),
    },
    ['callers'],
  );
}

const callerSet = memoizeParams(({ callers }: Params) => new Set(callers));

/** Members of its findings. */
export const callerFields = ['from', 'to', 'value', 'selector', 'status'];

/** Reports a transaction whose sender is listed, or is not, also when it fails: an attempt counts. */
export function detectCaller(
  observation: Observation,
  { config, contract, read }: EvaluationContext<Params, never>,
  wanted: 'listed' | 'unlisted',
): { detections?: [Detection] } {
  const call = observedCall(observation);
  if (!call) return {};
  const { from, to, value, hash, input } = call;
  if (callerSet(config, contract).has(from) !== (wanted === 'listed')) return {};
  const status = read.receipt(hash).isSuccess ? 'success' : 'failed';
  const list = wanted === 'listed' ? 'is on the list of unwanted callers' : 'is not on the list of callers';
  const ending = status === 'success' ? '' : '; the transaction failed';
  return {
    detections: [
      {
        message: `${sentence(call, contract)} and ${list}${ending}.`,
        fields: { from, to, value, selector: input.length >= 10 ? input.slice(0, 10) : undefined, status },
      },
    ],
  };
}

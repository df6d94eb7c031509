import { Type } from 'typebox';
import { canonicalSignature, type FunctionItem } from '../../codecs/evm/abi.ts';
import { evmFormat } from '../../codecs/evm/evmFormat.ts';
import { showPayment } from '../../evidence/amounts.ts';
import { showArguments } from '../../evidence/evm/describeCall.ts';
import { Choice } from '../../evidence/parameters.ts';
import type { ChainFacts, ContractFacts, Detection, Reader } from '../../model/detection.ts';
import type { ObservedCall } from '../../model/frames.ts';

export const statusMember = Choice(
  'Whether the transaction must have succeeded, must have failed, or may have done either.',
  ['success', 'failed', 'any'],
  'success',
);

export function FunctionSignature(description: string) {
  return Type.String({ format: evmFormat.functionOrName, maxLength: 10_000, description });
}

type Values = Readonly<Record<string, unknown>>;

/** Members of its findings. */
export const callFields = ['function', 'signature', 'selector', 'args', 'from', 'to', 'value', 'status'];

/** Reports a call if the transaction ended with the configured status. */
export function detectCall(
  read: Reader,
  { from, to, value, input, hash }: Omit<ObservedCall, 'isInner' | 'key'>,
  { name, address }: ContractFacts,
  chain: ChainFacts,
  status: 'success' | 'failed' | 'any',
  { item, args }: { item: FunctionItem | undefined; args: Values | undefined },
): { detections?: [Detection] } {
  const ended = read.receipt(hash).isSuccess ? 'success' : 'failed';
  if (status !== 'any' && status !== ended) return {};
  const selector = input.slice(0, 10);
  const what = item
    ? `${item.name}(${showArguments(read, chain, address, item, args ?? {})})`
    : `function ${selector}`;
  const ending = ended === 'success' ? '' : ', but the transaction failed';
  return {
    detections: [
      {
        message: `${from} called ${what} of ${name}${showPayment(value, chain)}${ending}.`,
        fields: {
          function: item?.name,
          signature: item && canonicalSignature(item),
          selector,
          args,
          from,
          to,
          value,
          status: ended,
        },
      },
    ],
  };
}

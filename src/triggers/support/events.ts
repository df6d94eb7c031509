import { Type } from 'typebox';
import { canonicalSignature, type EventItem } from '../../codecs/evm/abi.ts';
import { evmFormat } from '../../codecs/evm/evmFormat.ts';
import { showArguments } from '../../evidence/evm/describeCall.ts';
import type { Log, Transaction } from '../../model/block.ts';
import type { Detection, EvaluationContext } from '../../model/detection.ts';

export function EventSignature(description: string) {
  return Type.String({ format: evmFormat.eventSignature, maxLength: 10_000, description });
}

type Values = Readonly<Record<string, unknown>>;

/** Members of its findings. */
export const eventFields = ['event', 'signature', 'topic', 'args', 'from', 'logIndex'];

export function describeEvent(
  log: Log,
  { from }: Transaction,
  { contract, chain, read }: Pick<EvaluationContext<unknown, never>, 'contract' | 'chain' | 'read'>,
  event: EventItem | undefined,
  args: Values | undefined,
): Detection {
  const topic = log.key || undefined;
  const what = event
    ? `${event.name}(${showArguments(read, chain, log.address, event, args ?? {})})`
    : `an event with topic ${topic ?? 'none'}`;
  return {
    message: `${contract.name} emitted ${what} in a transaction of ${from}.`,
    fields: {
      event: event?.name,
      signature: event && canonicalSignature(event),
      topic,
      args,
      from,
      logIndex: log.index,
    },
  };
}

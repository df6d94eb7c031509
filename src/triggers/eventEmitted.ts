import { type Static, Type } from 'typebox';
import { decodeEvent, parseEvent, topicOf } from '../chains/evm/abi/abi.ts';
import { eventByTopic, eventItem } from '../chains/evm/abi/abiItems.ts';
import { Configuration } from '../evidence/parameters.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { describeEvent, EventSignature, eventFields } from './support/events.ts';
import { memoizeParams } from './support/memoizeParams.ts';

const params = Configuration({
  signature: Type.Optional(
    EventSignature('The event, such as Paused(address account); without it, every event of the contract.'),
  ),
});
type Params = Static<typeof params>;

const named = memoizeParams(({ signature }: Params, abi) =>
  signature === undefined ? null : eventItem(signature, abi),
);

export const eventEmitted = defineTrigger<Params, never>({
  type: 'EVENT_EMITTED',
  families: evmDialect,
  description: 'The contract emits an event.',
  params,
  fields: eventFields,
  interests: ({ signature }, { address }) => [
    { on: 'log', address, ...(signature !== undefined && { keys: [topicOf(parseEvent(signature))] }) },
  ],
  evaluate(observation, context) {
    if (observation.type !== 'log') return {};
    const { config, contract } = context;
    const { log, transaction } = observation;
    const event = named(config, contract) ?? eventByTopic(log.key, contract.abi);
    return {
      detections: [describeEvent(log, transaction, context, event, event && decodeEvent(event, log))],
    };
  },
});

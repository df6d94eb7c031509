import { type Static, Type } from 'typebox';
import { eventByKey, eventShape } from '../evidence/contractInterface.ts';
import { signatureFaults } from '../evidence/customParameters.ts';
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
  signature === undefined ? null : eventShape(signature, abi),
);

export const eventEmitted = defineTrigger<Params, never>({
  type: 'EVENT_EMITTED',
  families: [...evmDialect, 'solana', 'stellar'],
  description: 'The contract emits an event.',
  params,
  fields: eventFields,
  check: ({ signature }, abi) =>
    signature === undefined ? [] : signatureFaults(() => eventShape(signature, abi)),
  interests: ({ signature }, { address, abi }) => [
    { on: 'log', address, ...(signature !== undefined && { keys: [eventShape(signature, abi).key] }) },
  ],
  evaluate(observation, context) {
    if (observation.type !== 'log') return {};
    const { config, contract } = context;
    const { log, transaction } = observation;
    const event = named(config, contract) ?? eventByKey(log.key, contract.abi);
    return {
      detections: [describeEvent(log, transaction, context, event?.item, event?.decode(log))],
    };
  },
});

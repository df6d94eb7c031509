import type { Static } from 'typebox';
import { eventTopic } from '../chains/evm/abi/abi.ts';
import { logWords, topicAddress, zeroAddress } from '../chains/evm/abi/words.ts';
import { isListed } from '../evidence/addressList.ts';

import { Addresses, Configuration } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  allowedOwners: Addresses('New owners that are expected; a change to one of them raises nothing.'),
});

/** Events of an ownership change, by topic. */
const events = new Map(
  ['OwnershipTransferred', 'OwnershipTransferStarted', 'AdminChanged'].map((name) => [
    eventTopic(`${name}(address,address)`),
    name,
  ]),
);
const topics = [...events.keys()];

export const ownershipChange = defineDetector<Static<typeof config>, never>({
  name: 'ownership_change',
  title: 'Ownership change',
  version: '1.0.0',
  category: 'SECURITY',
  severity: 'CRITICAL',
  description:
    'The owner or the proxy administrator of the contract changes, or a change of owner is started.',
  faq: 'Does it see a contract being renounced? Yes: the new owner is then the zero address.',
  config,
  fields: ['event', 'previousOwner', 'newOwner', 'sender'],
  interests: (_config, { address }) => [{ on: 'log', address, keys: topics }],
  evaluate(observation, { config: { allowedOwners }, contract }) {
    if (observation.type !== 'log') return {};
    const { log, transaction } = observation;
    const event = events.get(log.key)!;
    const [previousOwner, newOwner] = logWords(log).map(topicAddress);
    if (previousOwner === undefined || newOwner === undefined) return {};
    if (isListed(allowedOwners, newOwner)) return {};
    return {
      detections: [
        {
          message: sentence(event, contract.name, previousOwner, newOwner),
          fields: { event, previousOwner, newOwner, sender: transaction.from },
        },
      ],
    };
  },
});

function sentence(event: string, name: string, previousOwner: string, newOwner: string): string {
  const office = event === 'AdminChanged' ? 'proxy administrator' : 'owner';
  const verb = event === 'OwnershipTransferStarted' ? 'is about to change' : 'changed';
  if (newOwner === zeroAddress && event !== 'OwnershipTransferStarted')
    return `${name} has no ${office} any more: ${previousOwner} has given it up.`;
  return `The ${office} of ${name} ${verb} from ${previousOwner} to ${newOwner}.`;
}

import type { Static } from 'typebox';
import { parseEvent, topicOf } from '../chains/evm/abi/abi.ts';
import { eventWords } from '../chains/evm/abi/eventWords.ts';
import { topicAddress, zeroAddress } from '../chains/evm/abi/words.ts';
import { isListed } from '../evidence/addressList.ts';

import { Addresses, Configuration } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  allowedOwners: Addresses('New owners that are expected; a change to one of them raises nothing.'),
});

type Office = 'owner' | 'proxy administrator' | 'administrator' | 'authority' | 'governance';
type Form = { office: Office; isPending?: true | undefined };

const owner: Form = { office: 'owner' };
const nextOwner: Form = { office: 'owner', isPending: true };
const proxyAdmin: Form = { office: 'proxy administrator' };
const admin: Form = { office: 'administrator' };
const nextAdmin: Form = { office: 'administrator', isPending: true };
const authority: Form = { office: 'authority' };
const governance: Form = { office: 'governance' };

/** How contract families report a change of who owns them; `next` is the new owner, `previous` the one before. */
const forms: Readonly<Record<string, Form>> = {
  // Ownable of OpenZeppelin, Solady and Solmate; Ownable2Step; Chainlink; handover of Solady
  'OwnershipTransferred(address indexed previous, address indexed next)': owner,
  'OwnershipTransferStarted(address indexed previous, address indexed next)': nextOwner,
  'OwnershipTransferRequested(address indexed previous, address indexed next)': nextOwner,
  'OwnershipHandoverRequested(address indexed next)': nextOwner,
  'OwnerUpdated(address indexed previous, address indexed next)': owner,
  'DefaultAdminTransferScheduled(address indexed next, uint48 schedule)': nextAdmin,
  // Proxies: EIP-1967 and zeppelinos, eternal storage, Polygon
  'AdminChanged(address previous, address next)': proxyAdmin,
  'ProxyOwnershipTransferred(address previous, address next)': proxyAdmin,
  'ProxyOwnerUpdate(address next, address previous)': proxyAdmin,
  // DSAuth (Maker), managed access of OpenZeppelin and Solmate
  'LogSetOwner(address indexed next)': owner,
  'LogSetAuthority(address indexed next)': authority,
  'AuthorityUpdated(address next)': authority,
  'AuthorityUpdated(address indexed previous, address indexed next)': authority,
  // Compound: markets, comptroller and Governor Bravo name both, its timelock only the new one
  'NewAdmin(address previous, address next)': admin,
  'NewAdmin(address indexed next)': admin,
  'NewPendingAdmin(address previous, address next)': nextAdmin,
  'NewPendingAdmin(address indexed next)': nextAdmin,
  // Synthetix, Uniswap V3, Bancor
  'OwnerNominated(address next)': nextOwner,
  'OwnerChanged(address indexed previous, address indexed next)': owner,
  'OwnerUpdate(address indexed previous, address indexed next)': owner,
  // Curve, Yearn, Origin
  'CommitOwnership(address next)': nextOwner,
  'ApplyOwnership(address next)': owner,
  'UpdateGovernance(address next)': governance,
  'GovernanceTransferred(address indexed previous, address indexed next)': governance,
  'GovernorshipTransferred(address indexed previous, address indexed next)': governance,
  'PendingGovernorshipTransfer(address indexed previous, address indexed next)': {
    office: 'governance',
    isPending: true,
  },
};

const events = new Map(
  Object.entries(forms).map(([signature, form]) => {
    const event = parseEvent(signature);
    return [topicOf(event), { event, ...form }];
  }),
);
const topics = [...events.keys()];

export const ownershipChange = defineDetector<Static<typeof config>, never>({
  name: 'ownership_change',
  title: 'Ownership change',
  version: '1.0.0',
  category: 'SECURITY',
  severity: 'CRITICAL',
  description:
    'The owner, administrator, proxy administrator, authority or governance of the contract changes, or a change is started.',
  faq: 'Which contracts does it understand? Ownable in all its versions, proxies, DSAuth (LogSetOwner), Compound (NewAdmin, NewPendingAdmin), Synthetix, Uniswap, Curve, Yearn and others. When a contract is renounced, the new owner is the zero address.',
  nextStep:
    'Ask the previous holder whether it was meant. If not, the new one controls the contract: pause what still can be paused and move funds out of its reach.',
  config,
  fields: ['event', 'previousOwner', 'newOwner', 'isPending', 'sender'],
  interests: (_config, { address }) => [{ on: 'log', address, keys: topics }],
  evaluate(observation, { config: { allowedOwners }, contract }) {
    if (observation.type !== 'log') return {};
    const { log, transaction } = observation;
    const { event, office, isPending } = events.get(log.key)!;
    const { previous, next } = eventWords(event, log);
    const namesPrevious = event.inputs.some(({ name }) => name === 'previous');
    if (next === undefined || (namesPrevious && previous === undefined)) return {};
    const newOwner = topicAddress(next);
    const previousOwner = previous && topicAddress(previous);
    // A nomination that is withdrawn or has been accepted changes nothing.
    if (isListed(allowedOwners, newOwner) || (isPending && newOwner === zeroAddress)) return {};
    return {
      detections: [
        {
          message: `${sentence({ office, isPending }, contract.name, previousOwner, newOwner)}, in a transaction of ${transaction.from}.`,
          fields: { event: event.name, previousOwner, newOwner, isPending, sender: transaction.from },
        },
      ],
    };
  },
});

/** Without the full stop. */
function sentence({ office, isPending }: Form, name: string, previous: string | undefined, next: string) {
  const from = previous === undefined || previous === zeroAddress ? '' : ` from ${previous}`;
  if (next === zeroAddress && !isPending)
    return `${name} has no ${office} any more${previous ? `: ${previous} has given it up` : ''}`;
  return `The ${office} of ${name} ${isPending ? 'is about to change' : 'changed'}${from} to ${next}`;
}

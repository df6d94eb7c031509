import type { Static } from 'typebox';
import { parseEvent, topicOf } from '../codecs/evm/abi.ts';
import { eventWords } from '../codecs/evm/eventWords.ts';
import { topicAddress } from '../codecs/evm/words.ts';

import { Choice, Configuration } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';

const config = Configuration({
  notifyOn: Choice('Which of the two to report.', ['both', 'paused', 'unpaused'], 'both'),
});

/** `paused`: one or several values of an event say whether something is paused. */
type Kind = 'paused' | 'unpaused' | readonly string[];

/** Events by which contract families report a pause; `by` is the account that paused, `asset` its limit. */
const forms: Readonly<Record<string, Kind>> = {
  // OpenZeppelin, and older contracts without the account
  'Paused(address by)': 'paused',
  'Unpaused(address by)': 'unpaused',
  'Pause()': 'paused',
  'Unpause()': 'unpaused',
  // EigenLayer, the OP stack, Lido
  'Paused(address indexed by, uint256 status)': 'paused',
  'Unpaused(address indexed by, uint256 status)': ['status'],
  'Paused(string identifier)': 'paused',
  'Unpaused()': 'unpaused',
  'Paused(uint256 duration)': 'paused',
  'Stopped()': 'paused',
  'Resumed()': 'unpaused',
  // Balancer, Yearn, Aave, Compound
  'PausedStateChanged(bool paused)': ['paused'],
  'EmergencyShutdown(bool active)': ['active'],
  'ReservePaused(address indexed asset, bool paused)': ['paused'],
  'ReserveFrozen(address indexed asset, bool frozen)': ['frozen'],
  'PauseAction(bool supply, bool transfer, bool withdraw, bool absorb, bool buy)': [
    'supply',
    'transfer',
    'withdraw',
    'absorb',
    'buy',
  ],
  'ActionPaused(string action, bool paused)': ['paused'],
  'ActionPaused(address asset, string action, bool paused)': ['paused'],
};

const events = new Map(
  Object.entries(forms).map(([signature, kind]) => {
    const event = parseEvent(signature);
    return [topicOf(event), { event, kind }];
  }),
);

export const pauseState = defineDetector<Static<typeof config>, never>({
  name: 'pause_state',
  title: 'Paused or unpaused',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: [...evmDialect, 'solana', 'stellar'],
  recommendedFor: {
    PAUSABLE: () => ({ reason: 'It can be paused.' }),
  },
  severity: 'HIGH',
  description: 'The contract, or a part of it, is paused or runs again after a pause.',
  faq: 'Which contracts does it understand? Those with Paused and Unpaused or Pause and Unpause in their various forms, Stopped and Resumed (Lido), and the pauses of Aave, Compound, Balancer, Yearn and the OP stack.',
  nextStep:
    'Find out from the team why it was paused or runs again, and hold deposits and automatic transactions until you know.',
  config,
  pending: true,
  fields: ['isPaused', 'account', 'asset', 'sender'],
  interests: (_config, { address }, { family }) => [
    hasEvmDialect(family)
      ? { on: 'log', address, keys: [...events.keys()] }
      : { on: 'change', address, keys: ['frozen'] },
  ],
  evaluate(observation, { config: { notifyOn }, contract }) {
    if (observation.type === 'change') {
      const { change, transaction } = observation;
      const isPaused = change.after === 'true';
      // Single accounts are what token_freeze is for.
      if (change.part !== undefined || (notifyOn !== 'both' && isPaused !== (notifyOn === 'paused')))
        return {};
      return {
        detections: [
          {
            message: `${contract.name} was ${isPaused ? 'paused' : 'unpaused'} in a transaction of ${transaction.from}.`,
            fields: { isPaused, account: transaction.from, sender: transaction.from },
          },
        ],
      };
    }
    if (observation.type !== 'log') return {};
    const { log, transaction } = observation;
    const { event, kind } = events.get(log.key)!;
    const words = eventWords(event, log);
    const isPaused = typeof kind === 'string' ? kind === 'paused' : kind.some((name) => isSet(words[name]));
    if (notifyOn !== 'both' && isPaused !== (notifyOn === 'paused')) return {};
    const account = words.by ? topicAddress(words.by) : transaction.from;
    const asset = words.asset && topicAddress(words.asset);
    const what = asset ? `The asset ${asset} of ${contract.name}` : contract.name;
    return {
      detections: [
        {
          message: `${what} was ${isPaused ? 'paused' : 'unpaused'} by ${account}.`,
          fields: { isPaused, account, asset, sender: transaction.from },
        },
      ],
    };
  },
});

function isSet(word: string | undefined): boolean {
  return word !== undefined && BigInt(word) !== 0n;
}

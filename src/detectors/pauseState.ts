import type { Static } from 'typebox';
import { eventTopic } from '../chains/evm/abi/abi.ts';
import { logWords, topicAddress } from '../chains/evm/abi/words.ts';

import { Choice, Configuration } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  notifyOn: Choice('Which of the two to report.', ['both', 'paused', 'unpaused'], 'both'),
});

/** With the account that did it, and as older contracts have it without. */
const paused = ['Paused(address)', 'Pause()'].map(eventTopic);
const unpaused = ['Unpaused(address)', 'Unpause()'].map(eventTopic);

export const pauseState = defineDetector<Static<typeof config>, never>({
  name: 'pause_state',
  title: 'Paused or unpaused',
  version: '1.0.0',
  category: 'OPERATIONAL',
  severity: 'HIGH',
  description: 'The contract is paused, or runs again after a pause.',
  faq: 'Which contracts does it understand? Those that emit Paused(address) and Unpaused(address), or Pause() and Unpause().',
  config,
  fields: ['isPaused', 'account', 'sender'],
  interests: ({ notifyOn }, { address }) => [
    {
      on: 'log',
      address,
      keys: [...(notifyOn === 'unpaused' ? [] : paused), ...(notifyOn === 'paused' ? [] : unpaused)],
    },
  ],
  evaluate(observation, { contract }) {
    if (observation.type !== 'log') return {};
    const { log, transaction } = observation;
    const isPaused = paused.includes(log.key);
    const [account = transaction.from] = logWords(log).map(topicAddress);
    return {
      detections: [
        {
          message: `${contract.name} was ${isPaused ? 'paused' : 'unpaused'} by ${account}.`,
          fields: { isPaused, account, sender: transaction.from },
        },
      ],
    };
  },
});

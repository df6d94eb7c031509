import { type Static, Type } from 'typebox';
import { Configuration, Polling, scheduleOf } from '../evidence/parameters.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const params = Configuration(
  {
    slot: Type.String({
      pattern: '^(0x[0-9a-fA-F]{1,64}|\\d{1,77})$',
      description: 'The storage slot, as a number or in hexadecimal.',
    }),
    ...Polling('block', '1 min'),
  },
  ['slot'],
);

type State = { value: string };

export const stateChange = defineTrigger<Static<typeof params>, State>({
  type: 'STATE_CHANGE',
  families: evmDialect,
  description: 'The value in a storage slot of the contract is another than at the look before.',
  params,
  fields: ['slot', 'before', 'after'],
  takesBaseline: true,
  interests: (looks) => [{ on: 'block', ...scheduleOf(looks) }],
  evaluate(observation, { config, contract, state, read }) {
    if (observation.type !== 'block') return {};
    const slot = toWord(config.slot);
    const after = toWord(read.storage(contract.address, slot));
    const before = state?.value ?? toWord(read.storage(contract.address, slot, 'parent'));
    const newState = state?.value === after ? {} : { state: { value: after } };
    if (before === after) return newState;
    return {
      ...newState,
      detections: [
        {
          message: `Storage slot ${shortened(slot)} of ${contract.name} changed from ${shortened(before)} to ${shortened(after)}.`,
          fields: { slot, before, after },
        },
      ],
    };
  },
});

/** 32 bytes, since nodes differ in whether they cut zeros. */
function toWord(value: string): string {
  return `0x${BigInt(value).toString(16).padStart(64, '0')}`;
}

function shortened(word: string): string {
  return `0x${BigInt(word).toString(16)}`;
}

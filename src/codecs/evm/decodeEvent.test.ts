import * as AbiParameters from 'ox/AbiParameters';
import { expect, it } from 'vitest';
import { createRandom } from '../../../testing/createRandom.ts';
import { decodeEvent, parseEvent } from './abi.ts';

const types = [
  'address',
  'uint256',
  'uint128',
  'uint96',
  'uint64',
  'uint48',
  'uint8',
  'int256',
  'bool',
  'bytes32',
  'bytes4',
  'string',
  'uint256[]',
];

it('decodes the values of events as the library does, whatever their words are', () => {
  const random = createRandom('words of events');
  const digits = (count: number) =>
    Array.from({ length: count }, () => '0123456789abcdef'[random.below(16)]).join('');
  const outcomeOf = (work: () => unknown) => {
    try {
      return { value: work() };
    } catch {
      return 'refused';
    }
  };
  for (let round = 0; round < 2000; round++) {
    const inputs = Array.from({ length: 1 + random.below(4) }, () => random.pick(types));
    const event = parseEvent(`E(${inputs.join(', ')})`);
    const words = inputs.length + random.below(3) - 1;
    const word = () => (random.chance(0.5) ? digits(64) : digits(1 + random.below(40)).padStart(64, '0'));
    const text = Array.from({ length: words }, word).join('');
    const data = `0x${random.chance(0.1) ? text.toUpperCase() : text}${random.pick(['', '', '', 'a', 'ab', 'zz'])}`;
    const own = outcomeOf(() => Object.values(decodeEvent(event, { key: '0x', indexed: [], data })));
    const theirs = outcomeOf(() => [
      ...AbiParameters.decode(event.inputs, data as `0x${string}`, { checksumAddress: false }),
    ]);
    // What is no hexadecimal text is refused by either.
    expect(own, data).toEqual(theirs);
  }
});

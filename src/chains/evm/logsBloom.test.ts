import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, it } from 'vitest';
import { createRandom } from '../../../testing/createRandom.ts';
import { logsBloom } from './logsBloom.ts';

/** As the yellow paper has it, without a cache. */
function plainBloom(values: readonly string[]): Buffer {
  const bloom = Buffer.alloc(256);
  for (const value of values) {
    const hash = keccak_256(Buffer.from(value.slice(2), 'hex'));
    for (const at of [0, 2, 4]) {
      const bit = ((hash[at]! << 8) | hash[at + 1]!) & 2047;
      bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
  return bloom;
}

it('sums up logs as the yellow paper does, whatever was summed up before', () => {
  const random = createRandom('blooms');
  const digits = (count: number) =>
    Array.from({ length: count }, () => random.pick([...'0123456789abcdefABCDEF'])).join('');
  const people = Array.from({ length: 2000 }, () => `0x${digits(40)}`);
  const odd = [
    '0x',
    '0x1',
    `0x${'z'.repeat(40)}`,
    `0x${'0'.repeat(64)}`,
    `0x${'0'.repeat(40)}`,
    `0x${digits(62)}é0`,
  ];
  const topic = () => {
    const person = random.pick(people).slice(2);
    return random.chance(0.05)
      ? random.pick(odd)
      : `0x${random.chance(0.3) ? digits(64) : person.padStart(64, '0')}`;
  };
  for (let round = 0; round < 300; round++) {
    const logs = Array.from({ length: random.below(30) }, () => ({
      address: random.chance(0.05) ? random.pick(odd) : random.pick(people),
      key: random.chance(0.1) ? '' : topic(),
      indexed: Array.from({ length: random.below(4) }, topic),
    }));
    const values = logs.flatMap(({ address, key, indexed }) => [
      address,
      ...(key === '' ? [] : [key]),
      ...indexed,
    ]);
    expect(logsBloom(logs).toString('hex')).toBe(plainBloom(values).toString('hex'));
  }
});

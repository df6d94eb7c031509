import { describe, expect, it } from 'vitest';
import { readTokenDecimals } from './tokenMetadata.ts';

const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

describe('readTokenDecimals', () => {
  it.each<[string, string | undefined, number]>([
    ['6', word(6n), 6],
    ['18', word(18n), 18],
    ['77, the most that 256 bits can count', word(77n), 77],
    ['78', word(78n), 0],
    ['a number of 256 bits', word(2n ** 256n - 1n), 0],
    ['a longer answer, by its first word', `${word(6n)}${'00'.repeat(32)}`, 6],
    ['an empty answer', '0x', 0],
    ['a short answer', '0x06', 0],
    ['no answer', undefined, 0],
  ])('takes %s', (_name, data, decimals) => {
    expect(readTokenDecimals(data)).toBe(decimals);
  });
});

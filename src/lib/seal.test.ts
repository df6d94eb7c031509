import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { seal, unseal } from './seal.ts';

const key = randomBytes(32);
const plain = Buffer.from('a private key');

describe('seal', () => {
  it('opens with its key in its place, and shows nothing of what is inside', () => {
    const box = seal(key, plain, 'wallet 1');
    expect(unseal(key, box, 'wallet 1')).toEqual(plain);
    expect(box.includes(plain)).toBe(false);
  });

  it('makes another box of the same value every time', () => {
    const boxes = Array.from({ length: 1000 }, () => seal(key, plain, 'x').toString('hex'));
    expect(new Set(boxes.map((box) => box.slice(0, 24))).size).toBe(1000);
  });

  it.each([
    ['another key', randomBytes(32), 'wallet 1'],
    ['another place', key, 'wallet 2'],
    ['no place', key, ''],
  ])('does not open with %s', (_, otherKey, place) => {
    expect(() => unseal(otherKey, seal(key, plain, 'wallet 1'), place)).toThrow();
  });

  it('does not open when any single bit differs, or when anything is cut off or added', () => {
    const box = seal(key, plain, 'wallet 1');
    for (let bit = 0; bit < box.length * 8; bit++) {
      const flipped = Buffer.from(box);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => unseal(key, flipped, 'wallet 1'), `bit ${bit}`).toThrow();
    }
    for (let length = 0; length < box.length; length++)
      expect(() => unseal(key, box.subarray(0, length), 'wallet 1')).toThrow();
    expect(() => unseal(key, Buffer.concat([box, Buffer.alloc(1)]), 'wallet 1')).toThrow();
  });
});

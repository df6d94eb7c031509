import { expect, it } from 'vitest';
import type { Observation } from './detection.ts';
import { observedCall, refuseCut } from './frames.ts';

it('A call of which only the head is kept is refused where its arguments are wanted', () => {
  const call = { contract: '0xb', key: '0x11111111', input: '0x11111111', position: 1, caller: '0xa' };
  const observe = (isCut: boolean) =>
    observedCall({
      type: 'call',
      transaction: { hash: '0x1', from: '0xa' },
      call: { ...call, ...(isCut && { isCut }) },
      frames: [],
    } as unknown as Observation)!;
  expect(() => refuseCut(observe(false))).not.toThrow();
  expect(() => refuseCut(observe(true))).toThrow(/only the head of it is kept/);
});

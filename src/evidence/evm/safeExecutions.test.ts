import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delegatesOf } from './safeExecutions.ts';

const multiSend = '0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761';
const callsOnly = '0x40a2accbd92bca938b02010e17a5b8929b49130d';
const evil = `0x${'e'.repeat(40)}`;
const good = `0x${'a'.repeat(40)}`;

const word = (value: number) => value.toString(16).padStart(64, '0');
const item = (operation: number, to: string, data = '0x') =>
  `0${operation}${to.slice(2)}${word(7)}${word((data.length - 2) / 2)}${data.slice(2)}`;
const batch = (...items: string[]) => {
  const packed = items.join('');
  return `0x8d80ff0a${word(32)}${word(packed.length / 2)}${packed}`;
};
const delegates = (to: string, data: string) => delegatesOf({ to, isDelegateCall: true, data });

describe('whose code a Safe runs as its own', () => {
  it('is the target of a delegatecall, and no one of a call', () => {
    expect(delegates(evil, '0x')).toEqual([evil]);
    expect(delegatesOf({ to: evil, isDelegateCall: false, data: '0x' })).toEqual([]);
  });

  it('is whatever a batch hands on by delegatecall', () => {
    const data = batch(item(0, good, '0x1234'), item(1, evil, '0x567890'), item(0, good), item(1, good));
    expect(delegates(multiSend, data)).toEqual([evil, good]);
    expect(delegates(callsOnly, data)).toEqual([]);
    expect(delegates(multiSend, batch(item(1, multiSend, batch(item(1, evil)))))).toEqual([evil]);
  });

  it('is also the last item of a batch that is cut off', () => {
    expect(delegates(multiSend, batch(item(0, good), item(1, evil).slice(0, 70)))).toEqual([evil]);
  });

  it('is MultiSend itself where batches are nested without end', () => {
    let data = batch(item(1, evil));
    for (let depth = 0; depth < 50; depth++) data = batch(item(1, multiSend, data));
    expect(delegates(multiSend, data)).toEqual([multiSend]);
  });

  it('is found in any data without stumbling', () => {
    const hex = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString('hex'));
    const lengths = fc.constantFrom(word(0), word(32), word(100), 'f'.repeat(64));
    const data = fc
      .array(fc.oneof(hex, lengths, fc.constant('01'), fc.constant(multiSend.slice(2))))
      .map((parts) => `0x8d80ff0a${parts.join('')}`);
    fc.assert(fc.property(data, (each) => Array.isArray(delegates(multiSend, each))));
  });
});

import { expect, it } from 'vitest';
import { checkCbor } from './checkCbor.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

it('takes what the Internet Computer sends, with its tag, endless lists and certificates within', () => {
  for (const good of [
    '00',
    'd9d9f7a161610a',
    '9f01ff',
    '5f4101ff',
    'bf616101ff',
    '82f5fb3ff0000000000000',
    'd9d9f7a16163 46 d9d9f7a16161 f6'.replaceAll(' ', '').replace('46d9', '47d9'),
  ])
    expect(() => checkCbor(hex(good)), good).not.toThrow();
});

it('refuses what is cut off, lies about a length, goes on behind its end, or is nested or filled without end', () => {
  for (const bad of ['', '82', '820', '5affffffff00', '9bffffffffffffffff', '0000', 'a161', '1c', 'ff'])
    expect(() => checkCbor(hex(bad)), bad).toThrow('not CBOR');
  expect(() => checkCbor(Buffer.alloc(1_000_000, 0x81))).toThrow('nested too deeply');
  expect(() => checkCbor(Buffer.concat([hex('9f'), Buffer.alloc(1_000_000)]))).toThrow('too many values');
  const deep = Buffer.concat([hex('d9d9f7'), Buffer.alloc(60_000, 0x81)]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(deep.length);
  expect(() => checkCbor(Buffer.concat([hex('59'), length, deep]))).toThrow('nested too deeply');
});

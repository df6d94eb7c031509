import { describe, expect, it } from 'vitest';
import { encodeCall, parseFunction } from '../../../codecs/evm/abi.ts';
import type { Frame } from '../../../model/block.ts';
import { describeFrame } from './describeFrame.ts';

const abi = [
  parseFunction('take(address to, string note, uint256[] amounts)'),
  { type: 'error', name: 'NotOwner', inputs: [{ name: 'who', type: 'address' }] },
];
const address = `0x${'11'.repeat(20)}`;
const frame: Frame = {
  type: 'CALL',
  depth: 1,
  parent: 0,
  from: address,
  to: address,
  value: 0n,
  input: '0x',
  isReverted: false,
};
const calling = (signature: string, ...values: unknown[]) => encodeCall(parseFunction(signature), values);

describe('describeFrame', () => {
  it('names functions and arguments by the ABI, and makes text in them harmless', () => {
    const input = calling('take(address,string,uint256[])', address, '<b>https://evil.com</b>', [
      1n,
      2n ** 255n,
    ]);
    expect(describeFrame({ ...frame, input }, abi)).toEqual({
      selector: input.slice(0, 10),
      function: 'take(address,string,uint256[])',
      arguments: [
        { name: 'to', type: 'address', value: address },
        { name: 'note', type: 'string', value: '‹b›https[:]//evil[.]com‹/b›' },
        { name: 'amounts', type: 'uint256[]', value: `["1","${2n ** 255n}"]` },
      ],
      reason: null,
    });
  });

  it('knows common functions without an ABI, and no function for data that does not fit', () => {
    const input = calling('transfer(address,uint256)', address, 5n);
    expect(describeFrame({ ...frame, input }, [])).toMatchObject({ function: 'transfer(address,uint256)' });
    expect(describeFrame({ ...frame, input: input.slice(0, 40) }, [])).toMatchObject({
      selector: '0xa9059cbb',
      function: null,
      arguments: [],
    });
  });

  it('cuts long values and leaves arguments of enormous inputs undecoded', () => {
    const long = calling('take(address,string,uint256[])', address, 'x'.repeat(5000), []);
    expect(describeFrame({ ...frame, input: long }, abi).arguments[1]?.value).toHaveLength(300);
    const enormous = calling('take(address,string,uint256[])', address, 'x'.repeat(50_000), []);
    expect(describeFrame({ ...frame, input: enormous }, abi)).toMatchObject({
      arguments: [],
      function: /take/,
    });
  });

  it('says why a frame failed: by an error of the ABI, by text, or in the words of the node', () => {
    const failing = (error: string, output?: string) =>
      describeFrame({ ...frame, isReverted: true, error, ...(output && { output }) }, abi).reason;
    expect(failing('execution reverted', calling('NotOwner(address)', address))).toBe(
      `NotOwner(who: ${address})`,
    );
    expect(failing('execution reverted', calling('Error(string)', 'too late'))).toBe('too late');
    expect(failing('out of gas')).toBe('out of gas');
  });

  it('has no selector for payments and creations', () => {
    expect(describeFrame(frame, abi).selector).toBeNull();
    expect(describeFrame({ ...frame, type: 'CREATE', input: '0x6080604052aabb' }, abi).selector).toBeNull();
  });

  it('names the function of a call of which only the head is kept, without arguments that it guesses', () => {
    const input = calling('take(address,string,uint256[])', address, 'a', [1n]);
    expect(describeFrame({ ...frame, input, inputLength: input.length + 2 }, abi)).toMatchObject({
      function: 'take(address,string,uint256[])',
      arguments: [],
    });
  });
});

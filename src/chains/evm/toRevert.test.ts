import { AbiParameters } from 'ox';
import { describe, expect, it } from 'vitest';
import { toRevert } from './toRevert.ts';

const reasonOf = (code: number, message: string, data?: unknown) => toRevert({ code, message, data })?.reason;

describe('what a call came to', () => {
  it.each([
    'execution reverted',
    'VM Exception while processing transaction: revert',
    'out of gas: gas required exceeds: 500',
    'gas required exceeds allowance (30000000)',
    'invalid opcode: INVALID',
    'invalid jump destination',
    'stack underflow (0 <=> 1)',
    'stack limit reached 1024 (1023)',
    'write protection',
    'EVM error: InvalidJump',
    'EVM error InvalidFEOpcode',
    'EVM error: OpcodeNotFound',
    'EVM error: StackUnderflow',
    'EVM error: StateChangeDuringStaticCall',
    'insufficient funds for gas * price + value: have 0 want 5',
  ])('is told by "%s" of a node without data', (message) => {
    for (const code of [-32000, -32003]) expect(reasonOf(code, message)).toBe(message);
  });

  it.each([
    'missing trie node 4f3c (path ) state 0x4f3c is not available, not found',
    'historical state 4f3c is not available',
    'header not found',
    'execution aborted (timeout = 5s)',
    'request exceeds the rate limit of your plan',
    'daily request count exceeded, request rate limited',
    'insufficient credits',
    'EVM error FatalExternalError',
    'database stack trace follows',
    'too many requests',
    'Internal error',
    'the method eth_call does not exist/is not available',
  ])('is not told by "%s", which the node itself did wrong', (message) => {
    for (const code of [-32000, -32603, -32005]) expect(reasonOf(code, message)).toBeUndefined();
    expect(reasonOf(-32000, message, 'see the manual')).toBeUndefined();
    expect(reasonOf(-32000, message, { see: 'the manual' })).toBeUndefined();
  });

  it('is in the words of the contract, however the node wraps them', () => {
    const data = `0x08c379a0${AbiParameters.encode([{ type: 'string' }], ['not now']).slice(2)}`;
    for (const given of [data, { data }, `Reverted ${data}`, data.replace('0x08c379a0', '0x08C379A0')])
      expect(reasonOf(-32015, 'VM execution error', given)).toBe('not now');
    expect(reasonOf(-32015, 'VM execution error', 'Bad instruction fe')).toBe('VM execution error');
    expect(reasonOf(3, 'x', `0x4e487b71${'11'.padStart(64, '0')}`)).toBe('a number left its range');
  });

  it('is a custom error where the rest does not fit the selector of a usual one', () => {
    for (const selector of ['0x08c379a0', '0x4e487b71'])
      for (const rest of ['', '00', 'ff'.repeat(32), 'ff'.repeat(64)])
        expect(reasonOf(3, 'execution reverted', selector + rest)).toMatch(/^custom error 0x|^panic \d+$/);
  });

  it('neither links nor mentions anyone, whatever the contract says', () => {
    const data = `0x08c379a0${AbiParameters.encode([{ type: 'string' }], ['@here evil.com']).slice(2)}`;
    expect(reasonOf(3, 'execution reverted', data)).toBe('(at)here evil[.]com');
    expect(reasonOf(3, 'execution reverted: @here evil.com')).toBe('execution reverted: (at)here evil[.]com');
  });

  it('is cut where a contract says too much', () => {
    const data = `0x08c379a0${AbiParameters.encode([{ type: 'string' }], ['🙂'.repeat(5000)]).slice(2)}`;
    expect(reasonOf(3, 'execution reverted', data)).toBe(`${'🙂'.repeat(499)}…`);
  });
});

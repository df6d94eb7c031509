import { describe, expect, it } from 'vitest';
import { functionSelector } from '../../codecs/evm/abi.ts';
import type { ContractKind } from '../../model/contractKinds.ts';
import type { StateRead } from '../../model/stateRead.ts';
import { inspectContract } from './inspectContract.ts';

const header = { number: 7, hash: '0x07', parentHash: '0x06', timestamp: 1_000_000_000 };
const word = (value: number | bigint) => BigInt(value).toString(16).padStart(64, '0');
const address = (digit: string) => word(BigInt(`0x${digit.repeat(40)}`));

/** A contract that answers these functions with these words, and reverts at all others. */
function inspect(functions: Record<string, string>, code = '0x6001') {
  const answers = new Map(
    Object.entries(functions).map(([signature, data]) => [functionSelector(signature), `0x${data}`]),
  );
  const interfaces = functions.interfaces?.split(' ') ?? [];
  const readState = async (_block: unknown, reads: readonly StateRead[]) =>
    reads.map((read) => {
      if (read.type === 'code') return { value: code };
      if (read.type !== 'call') return { value: `0x${word(0)}` };
      const selector = read.data.slice(0, 10);
      if (selector === functionSelector('supportsInterface(bytes4)') && interfaces.length > 0)
        return { value: { data: `0x${word(interfaces.includes(read.data.slice(10, 18)) ? 1 : 0)}` } };
      const data = answers.get(selector);
      return { value: data === undefined ? { failure: 'reverted' } : { data } };
    });
  return inspectContract({ readState, findImplementation: async () => null }, header, `0x${'1'.repeat(40)}`);
}

const token = {
  'totalSupply()': word(10n ** 24n),
  'balanceOf(address)': word(0),
  'allowance(address,address)': word(0),
  'decimals()': word(18),
};

describe('a contract is recognised by what it answers', () => {
  it.each<[ContractKind, Record<string, string>]>([
    ['ERC20', token],
    ['ERC721', { interfaces: '01ffc9a7 80ac58cd', 'balanceOf(address)': word(0) }],
    ['ERC1155', { interfaces: '01ffc9a7 d9b67a26' }],
    [
      'ERC4626',
      { ...token, 'asset()': address('a'), 'totalAssets()': word(5), 'convertToShares(uint256)': word(1) },
    ],
    ['OWNABLE', { 'owner()': address('b') }],
    ['ACCESS_CONTROL', { interfaces: '01ffc9a7 7965db0b' }],
    ['ACCESS_CONTROL', { 'getRoleAdmin(bytes32)': word(0), 'hasRole(bytes32,address)': word(0) }],
    ['PAUSABLE', { 'paused()': word(0) }],
    ['SAFE', { 'getOwners()': word(32) + word(1) + address('c'), 'getThreshold()': word(1) }],
    ['TIMELOCK', { 'getMinDelay()': word(86_400) }],
    ['TIMELOCK', { 'delay()': word(172_800), 'GRACE_PERIOD()': word(1_209_600) }],
    ['GOVERNOR', { 'votingDelay()': word(1), 'votingPeriod()': word(50_400) }],
    ['PRICE_FEED', { 'latestRoundData()': [1, 5, 2, 999_000, 1].map(word).join(''), 'decimals()': word(8) }],
    ['POOL', { 'token0()': address('d'), 'token1()': address('e') }],
    ['POOL', { 'coins(uint256)': address('d'), 'get_virtual_price()': word(10n ** 18n) }],
  ])('as %s', async (kind, functions) => {
    const { hasCode, kinds } = await inspect(functions);
    expect(hasCode).toBe(true);
    expect(kinds).toContain(kind);
    if (kind !== 'ERC4626') expect(kinds).toEqual([kind]);
  });

  it('code that pulls tokens makes a contract a spender, also behind a proxy, unless it is a token itself', async () => {
    const pulls = '0x60016323b872dd';
    expect((await inspect({}, pulls)).kinds).toEqual(['SPENDER']);
    expect((await inspect(token, pulls)).kinds).toEqual(['ERC20']);
    const behind = async () => `0x${'2'.repeat(40)}`;
    const readState = async (_block: unknown, reads: readonly StateRead[]) =>
      reads.map((read) => ({
        value: read.type === 'code' ? (read.address.startsWith('0x2') ? pulls : '0x6001') : `0x${word(0)}`,
      }));
    const proxy = await inspectContract(
      { readState, findImplementation: behind },
      header,
      `0x${'1'.repeat(40)}`,
    );
    expect(proxy.kinds).toEqual(['PROXY', 'SPENDER']);
  });

  it('a contract is shown with what it says of itself', async () => {
    const text = word(32) + word(4) + Buffer.from('USD!').toString('hex').padEnd(64, '0');
    const { facts } = await inspect({
      ...token,
      'symbol()': text,
      'owner()': address('b'),
      'getMinDelay()': word(60),
      'latestRoundData()': [1, 5, 2, 999_000, 1].map(word).join(''),
    });
    expect(facts).toEqual({
      symbol: 'USD!',
      decimals: 18,
      totalSupply: '1000000000000000000000000',
      owner: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB',
      minDelay: 60,
      answerAge: 1000,
    });
  });

  it('a contract that answers everything, answers with too little, or claims every interface has no kind', async () => {
    const everything = await inspect({ ...token, 'vigilAsksForNothing()': word(1), 'owner()': address('b') });
    expect(everything.kinds).toEqual([]);
    expect((await inspect({ 'owner()': '', 'paused()': '01' })).kinds).toEqual([]);
    expect((await inspect({ 'paused()': word(2), 'owner()': 'f'.repeat(64) })).kinds).toEqual([]);
    expect((await inspect({ interfaces: '01ffc9a7 ffffffff 80ac58cd' })).kinds).toEqual([]);
  });

  it('an account has no kind', async () => {
    expect(await inspect({}, '0x')).toEqual({
      hasCode: false,
      kinds: [],
      proxyKind: null,
      implementation: null,
      facts: {},
    });
  });
});

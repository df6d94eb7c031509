import { expect, it } from 'vitest';
import { eventTopic } from '../../codecs/evm/abi.ts';
import { transferTopic } from '../../codecs/evm/erc20Transfer.ts';
import { addressTopic } from '../../codecs/evm/words.ts';
import type { Frame, Log } from '../../model/block.ts';
import { netChanges } from './netChanges.ts';
import { unwrapTopic, wrapTopic } from './wrappedCoins.ts';

const [alice, bob, token, nft, multi] = ['a', 'b', 'c', 'd', 'e'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
  string,
];
const word = (value: bigint) => value.toString(16).padStart(64, '0');
const log = (address: string, key: string, indexed: string[], data: string) =>
  ({ address, key, indexed, data: `0x${data}` }) as unknown as Log;
const pay = (from: string, to: string, value: bigint, members: Partial<Frame> = {}): Frame => ({
  type: 'CALL',
  depth: 0,
  parent: -1,
  from,
  to,
  value,
  input: '0x',
  isReverted: false,
  ...members,
});

it('nets coins that were not reverted and tokens of every kind, and leaves out what evens out', async () => {
  const ends = [alice, bob].map(addressTopic);
  const logs = [
    log(token, transferTopic, ends, word(7n)),
    log(token, transferTopic, ends.toReversed(), word(2n)),
    log(nft, transferTopic, [...ends, `0x${word(9n)}`], ''),
    log(
      multi,
      eventTopic('TransferSingle(address,address,address,uint256,uint256)'),
      [addressTopic(alice), ...ends],
      word(3n) + word(4n),
    ),
    log(multi, transferTopic, ends, word(1n)),
    log(multi, transferTopic, ends.toReversed(), word(1n)),
  ];
  const frames = [
    pay(alice, bob, 5n),
    pay(bob, alice, 1n),
    pay(alice, bob, 100n, { isReverted: true }),
    pay(alice, bob, 100n, { type: 'CALLCODE' }),
  ];
  expect(await netChanges({ logs }, frames)).toEqual([
    { party: alice, asset: 'native', tokenId: null, amount: -4n },
    { party: bob, asset: 'native', tokenId: null, amount: 4n },
    { party: alice, asset: token, tokenId: null, amount: -5n },
    { party: bob, asset: token, tokenId: null, amount: 5n },
    { party: alice, asset: nft, tokenId: 9n, amount: -1n },
    { party: bob, asset: nft, tokenId: 9n, amount: 1n },
    { party: alice, asset: multi, tokenId: 3n, amount: -4n },
    { party: bob, asset: multi, tokenId: 3n, amount: 4n },
  ]);
});

it('nets coins that are wrapped and unwrapped, as far as the token got the coins', async () => {
  const wrap = (index: string, amount: bigint) => log(token, index, [addressTopic(alice)], word(amount));
  const logs = [wrap(wrapTopic, 9n), wrap(unwrapTopic, 2n)];
  const frames = [pay(alice, token, 9n), pay(token, alice, 2n)];
  expect(await netChanges({ logs }, frames)).toContainEqual({
    party: alice,
    asset: token,
    tokenId: null,
    amount: 7n,
  });
  const claimed = await netChanges({ logs }, []);
  expect(claimed).toEqual([]);
});

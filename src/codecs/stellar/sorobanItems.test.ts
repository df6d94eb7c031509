import { expect, it } from 'vitest';
import type { Log } from '../../model/block.ts';
import { assetSpec } from './assetSpec.ts';
import { sorobanEvent } from './sorobanItems.ts';

const [alice, bob] = ['GA', 'GB'].map((start) => start.padEnd(56, 'A')) as [string, string];
const address = (text: string) => JSON.stringify({ address: text });
const symbol = (text: string) => JSON.stringify({ symbol: text });
const asset = JSON.stringify({ string: 'GOLD:GISSUER' });

function decode(name: string, topics: string[], data: unknown) {
  const log: Pick<Log, 'indexed' | 'data'> = {
    indexed: [symbol(name), ...topics, asset],
    data: JSON.stringify(data),
  };
  return sorobanEvent(name, assetSpec)?.decode(log as Log);
}

it('events of an asset’s contract keep their names where its spec has no events', () => {
  expect(decode('transfer', [address(alice), address(bob)], { i128: '7' })).toMatchObject({
    from: alice,
    to: bob,
    amount: 7n,
  });
  // With an administrator before protocol 23, and without one since.
  for (const topics of [[address(alice), address(bob)], [address(bob)]])
    expect(decode('mint', topics, { i128: '7' })).toMatchObject({ to: bob, amount: 7n });
  expect(decode('set_admin', [address(alice)], { address: bob })).toMatchObject({ data: bob });
});

it('events of other contracts without events in their spec have topics and data alone', () => {
  const other = [{ function_v0: { name: 'transfer', inputs: [], outputs: [] } }];
  expect(sorobanEvent('transfer', other)?.item.inputs.map(({ name }) => name)).toEqual(['topics', 'data']);
});

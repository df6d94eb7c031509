import { expect, it } from 'vitest';
import type { Store } from '../db/db.ts';
import { createShardGroups } from './createShardGroups.ts';

it('asks for the groups of tenants that it does not know, and again after a second', async () => {
  const asked: number[][] = [];
  let group = 1;
  let now = 5000;
  const store = {
    isDistributed: async () => true,
    prepared: async ({ values: [ids] }: { values: readonly unknown[] }) => {
      asked.push(ids as number[]);
      return (ids as number[]).map((id) => ({ id, group }));
    },
  } as unknown as Store;
  const find = (await createShardGroups(store, () => now)())!;
  expect(await find(store, [1, 2, 1])).toEqual(
    new Map([
      [1, 1],
      [2, 1],
    ]),
  );
  group = 2;
  now += 999;
  expect(await find(store, [2, 3])).toEqual(
    new Map([
      [2, 1],
      [3, 2],
    ]),
  );
  now += 1;
  expect(await find(store, [1])).toEqual(new Map([[1, 2]]));
  expect(asked).toEqual([[1, 2], [3], [1]]);
});

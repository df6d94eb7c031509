import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Store } from '../store/db/db.ts';
import { createPreparations } from './createPreparations.ts';
import type { WatchSet } from './watchChain.ts';

/** So long ago a page was begun that rests are as long as they may be. */
const longAgoMs = 10_000;
const maxRestMs = 500;

/** Chains that are read in so many pages; the times of the rests after them are noted. */
function prepare(pages: number, onPage: (page: number) => void = () => {}, contracts = 1) {
  const rests: number[] = [];
  const refresh = async (_db: unknown, options: { rest?: (startedAt: number) => Promise<void> }) => {
    for (let page = 1; page <= pages; page++) {
      onPage(page);
      const startedAt = performance.now();
      await options.rest?.(startedAt - longAgoMs);
      rests.push(performance.now() - startedAt);
    }
    pages = 0;
    return 1;
  };
  const preparations = createPreparations({
    store: {} as Store,
    open: () =>
      ({ watchList: { refresh, contractCount: () => contracts }, close: () => {} }) as unknown as WatchSet,
    signal: new AbortController().signal,
  });
  return { preparations, rested: () => rests.map((ms) => ms > maxRestMs / 2) };
}

it('reading ahead rests after each page, but not for a chain whose holder stops', async () => {
  const standBy = prepare(2);
  await standBy.preparations.standBys.add('anvil');
  expect(standBy.rested()).toEqual([true, true]);
  const spread = prepare(2);
  await spread.preparations.prepare('anvil', false);
  expect(spread.rested()).toEqual([true, true]);
  const offered = prepare(2);
  await offered.preparations.prepare('anvil', true);
  expect(offered.rested()).toEqual([false, false]);
});

it('a chain that is taken while it is read is read on without rest', async () => {
  const { preparations, rested } = prepare(3, (page) => {
    if (page === 2) preparations.take('anvil');
  });
  await preparations.standBys.add('anvil');
  expect(rested()).toEqual([true, false, false]);
});

it('a rest ends at once when the chain is taken, or its holder stops', async () => {
  type Preparations = ReturnType<typeof createPreparations>;
  const endings = [
    (preparations: Preparations) => preparations.take('anvil'),
    (preparations: Preparations) => preparations.prepare('anvil', true),
  ];
  for (const end of endings) {
    const events: string[] = [];
    const { preparations } = prepare(1);
    const reading = preparations.standBys.add('anvil').then(() => events.push('read'));
    const late = sleep(maxRestMs - 100).then(() => events.push('late'));
    await sleep(20);
    expect(events).toEqual([]);
    await Promise.all([end(preparations), reading, late]);
    expect(events).toEqual(['read', 'late']);
  }
});

it('a process that has just got or given a chain waits before reading to stand by, longer where more is watched', async () => {
  const waitOf = async (contracts: number, isGiven: boolean) => {
    const { preparations } = prepare(0, undefined, contracts);
    await preparations.standBys.add('anvil');
    expect(preparations.standBys.settlingMs()).toBe(0);
    const watchSet = preparations.take('anvil');
    if (isGiven) preparations.giveBack('anvil', watchSet);
    return preparations.standBys.settlingMs();
  };
  for (const isGiven of [false, true]) {
    expect(await waitOf(10, isGiven)).toBeLessThan(5);
    const [few, many] = [await waitOf(20_000, isGiven), await waitOf(1_000_000, isGiven)];
    expect(few).toBeGreaterThan(1_000);
    expect(many).toBeGreaterThan(few);
    expect(many).toBeLessThanOrEqual(10_000);
  }
});

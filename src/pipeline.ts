import { limitRate } from './alerts/limitRate.ts';
import { type Follow, prepareRaise, raise } from './alerts/raise.ts';
import { type FollowRetraction, retract } from './alerts/retract.ts';
import type { Chain } from './chains/chains.ts';
import type { Fetch } from './matching/answers.ts';
import { type Evaluated, evaluateMatches, type Fault } from './matching/evaluateMatches.ts';
import type { Finding } from './model/alert.ts';
import type { Block, BlockRef, Header } from './model/block.ts';
import type { Observation } from './model/detection.ts';
import type { Db, Store } from './store/db.ts';
import { advanceCursor, assertHolder, finalizeChain, rewindCursor } from './store/watch/cursor.ts';
import { markForInspection } from './store/watch/inspection.ts';
import { type StateChange, saveStates, undoStates } from './store/watch/states.ts';
import { type FaultLedger, faultFinding } from './watch/faultLedger.ts';
import type { ChainMessage } from './watch/followChain.ts';
import { createMemories } from './watch/memories.ts';
import { upgradedAddresses } from './watch/upgradedAddresses.ts';
import type { WatchList } from './watch/watchList.ts';
import type { WatchMeter } from './watch/watchMeter.ts';

export type PipelineOptions = {
  chain: Chain;
  store: Store;
  watchList: WatchList;
  fetch: Fetch;
  faults: FaultLedger;
  meter: WatchMeter;
  /** Who holds the chain's lease. */
  holder: string;
  confirmations: number;
  /** The newest block of the chain that is known of. */
  head: () => number;
  follow: readonly Follow[];
  followRetraction: readonly FollowRetraction[];
  now: () => number;
};

/** From block to alert on one chain. Every message is one transaction: either it happened wholly, or it did not. */
export function createPipeline(options: PipelineOptions, tip: Header | undefined) {
  const { chain, store, watchList, fetch, faults, meter, holder, now } = options;
  const memories = createMemories(store);
  let last = tip;
  const step = () => ({
    chainUid: chain.uid,
    holder,
    from: last,
    head: options.head(),
    confirmations: options.confirmations,
    now: now(),
  });

  async function handle(message: ChainMessage): Promise<void> {
    try {
      if (message.type === 'blocks') await process(message.blocks);
      else if (message.type === 'retract') await goBack(message);
      else await store.transaction((tx) => finalizeChain(tx, chain.uid, holder, message.final));
    } catch (error) {
      // What was not written is not remembered either.
      memories.forget();
      throw error;
    }
  }

  async function process(blocks: readonly Block[]): Promise<void> {
    await watchList.refresh(store);
    const work = createWork();
    let previous = last;
    for (const block of blocks) {
      const matches = watchList.index.match(block, previous);
      await memories.load(matches.keys());
      const evaluated = await evaluateMatches(matches, memories.recall, fetch);
      addWork(work, evaluated, memories.change(block.number, evaluated.memories));
      meter.block(block, matches, evaluated);
      previous = block;
    }
    const upgraded = blocks.flatMap((block) => upgradedAddresses(block, watchList.index.has));
    await prepareRaise(store, work.findings);
    await store.transaction(async (tx) => {
      await advanceCursor(tx, step(), blocks);
      await write(tx, work);
      await markForInspection(tx, chain.uid, upgraded);
    });
    last = previous;
    meter.stored(blocks, work.findings, options.head());
  }

  async function goBack({ to, dropped, added }: Extract<ChainMessage, { type: 'retract' }>): Promise<void> {
    const observation: Observation = {
      type: 'reorg',
      dropped: dropped.map(toRef),
      added: added.map(toRef),
      at: now(),
    };
    const matches = new Map(watchList.index.reorgs().map((subscriber) => [subscriber, [observation]]));
    await memories.load(matches.keys());
    const evaluated = await evaluateMatches(matches, memories.recall, fetch);
    const work = createWork();
    addWork(work, evaluated, memories.change(to?.number ?? -1, evaluated.memories));
    await prepareRaise(store, work.findings);
    await store.transaction(async (tx) => {
      await rewindCursor(tx, step(), to);
      await retract(tx, { chainUid: chain.uid, blocks: dropped, now: now() }, options.followRetraction);
      await undoStates(tx, chain.uid, to?.number ?? -1);
      await write(tx, work);
    });
    last = to;
    memories.forget();
  }

  /** What happens by the clock and not by blocks; slow ones hold up nobody else. */
  async function tick(previousAt: number, at: number): Promise<void> {
    const observation: Observation = { type: 'clock', at, newest: last };
    await Promise.all(
      watchList.index.due(previousAt, at).map(async (subscriber) => {
        await memories.load([subscriber]);
        const evaluated = await evaluateMatches(
          new Map([[subscriber, [observation]]]),
          memories.recall,
          fetch,
        );
        const work = createWork();
        addWork(work, evaluated, memories.change(-1, evaluated.memories));
        await prepareRaise(store, work.findings);
        await store.transaction(async (tx) => {
          await assertHolder(tx, chain.uid, holder);
          await write(tx, work);
        });
      }),
    );
  }

  async function write(tx: Db, work: Work): Promise<void> {
    const alarms = await faults.write(tx, work.faults, work.worked);
    const findings = await limitRate(tx, [...work.findings, ...alarms.map(faultFinding)], now());
    await raise(tx, findings, options.follow);
    await saveStates(tx, chain.uid, work.states);
  }

  return { handle, tick };
}

type Work = { findings: Finding[]; states: StateChange[]; faults: Fault[]; worked: Evaluated['worked'] };

function createWork(): Work {
  return { findings: [], states: [], faults: [], worked: [] };
}

function addWork(work: Work, { findings, faults, worked }: Evaluated, states: readonly StateChange[]): void {
  work.findings.push(...findings);
  work.states.push(...states);
  work.faults.push(...faults);
  work.worked.push(...worked);
}

function toRef({ number, hash }: Header): BlockRef {
  return { number, hash };
}

import { limitRate } from './alerts/limitRate.ts';
import { type Follow, prepareRaise, raise } from './alerts/raise.ts';
import { type FollowRetraction, retract } from './alerts/retract.ts';
import type { Chain } from './chains/chains.ts';
import type { Fetch } from './matching/answers.ts';
import { type Evaluated, evaluateMatches } from './matching/evaluateMatches.ts';
import type { Subscriber } from './matching/subscriber.ts';
import type { Finding } from './model/alert.ts';
import type { Block, BlockRef, Header } from './model/block.ts';
import type { Observation } from './model/detection.ts';
import type { Db, Store } from './store/db.ts';
import { advanceCursor, assertHolder, finalizeChain, rewindCursor, saveTick } from './store/watch/cursor.ts';
import type { FundedAddress } from './store/watch/funding.ts';
import { markForInspection } from './store/watch/inspection.ts';
import { type StateChange, saveStates, undoStates } from './store/watch/states.ts';
import { type FaultLedger, faultFinding, type Outcome } from './watch/faultLedger.ts';
import type { ChainMessage } from './watch/followChain.ts';
import type { FundingTracker } from './watch/fundingTracker.ts';
import { createMemories } from './watch/memories.ts';
import { upgradedAddresses } from './watch/upgradedAddresses.ts';
import type { WatchList } from './watch/watchList.ts';
import type { WatchMeter } from './watch/watchMeter.ts';

export type PipelineOptions = {
  chain: Chain;
  store: Store;
  watchList: WatchList;
  fetch: Fetch;
  ledger: FaultLedger;
  funding: FundingTracker;
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
  const { chain, store, watchList, ledger, funding, meter, holder, now } = options;
  // What the blocks at hand tell of funding is not in the store yet.
  const fetch = funding.complete(options.fetch);
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

  let isStopped = false;
  let turn: Promise<unknown> = Promise.resolve();

  /** Blocks and the clock take turns, because both change what is remembered. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const run = turn.then(work).catch((error: unknown) => {
      // What was not written is not remembered either.
      memories.forget();
      funding.forget();
      throw error;
    });
    turn = run.catch(() => undefined);
    return run;
  }

  function handle(message: ChainMessage): Promise<void> {
    return alone(async () => {
      if (message.type === 'blocks') await process(message.blocks);
      else if (message.type === 'retract') await goBack(message);
      else await store.transaction((tx) => finalizeChain(tx, chain.uid, holder, message.final));
    });
  }

  async function process(blocks: readonly Block[]): Promise<void> {
    await watchList.refresh(store);
    await funding.refresh(store);
    const work = createWork();
    let previous = last;
    for (const block of blocks) {
      const matches = watchList.index.match(block, previous);
      await memories.load(matches.keys());
      work.funded.push(...funding.trace(block));
      const evaluated = await evaluateMatches(matches, memories.recall, fetch);
      addWork(work, evaluated, memories.change(block.number, evaluated.memories));
      meter.block(block, matches, evaluated);
      previous = block;
    }
    const upgraded = blocks.flatMap((block) => upgradedAddresses(block, watchList.index.has));
    await commit(work, async (tx) => {
      await advanceCursor(tx, step(), blocks);
      await write(tx, work);
      await funding.write(tx, work.funded, blocks.at(-1)!.timestamp);
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
    // That the chain was reorganised stays true whichever branch wins.
    addWork(work, evaluated, memories.change(-1, evaluated.memories));
    const height = to?.number ?? dropped.at(-1)!.number - 1;
    await commit(work, async (tx) => {
      await rewindCursor(tx, step(), to, height);
      await retract(tx, { chainUid: chain.uid, blocks: dropped, now: now() }, options.followRetraction);
      await undoStates(tx, chain.uid, height);
      await funding.rewind(tx, to?.number ?? -1);
      await write(tx, work);
    });
    last = to;
    memories.forget();
    funding.forget();
  }

  const ticking = new Set<string>();

  /** What happens by the clock and not by blocks; slow ones hold up nobody else. */
  async function tick(previousAt: number, at: number): Promise<void> {
    await noteUnfit(at);
    const due = watchList.index.due(previousAt, at);
    await Promise.all(
      due.map(async (subscriber) => {
        const key = `${subscriber.kind} ${subscriber.id}`;
        if (ticking.has(key)) return;
        ticking.add(key);
        try {
          while (!(await tickOne(subscriber, at)));
        } finally {
          ticking.delete(key);
        }
      }),
    );
    if (due.length > 0 && !isStopped) await saveTick(store, chain.uid, holder, at);
  }

  /** While there is something to catch up with, the chain is known to go on. */
  function newest(at: number): { number: number; timestamp: number } | undefined {
    const head = options.head();
    return last && head > last.number ? { number: head, timestamp: at } : last;
  }

  /** False when a block has changed meanwhile what the subscriber remembers. */
  async function tickOne(subscriber: Subscriber, at: number): Promise<boolean> {
    const before = await alone(async () => {
      await memories.load([subscriber]);
      return memories.recall(subscriber);
    });
    const matches = new Map([
      [subscriber, [{ type: 'clock', at, newest: newest(at) } satisfies Observation]],
    ]);
    const evaluated = await evaluateMatches(matches, () => before, fetch);
    return alone(async () => {
      if (isStopped) return true;
      if (memories.recall(subscriber) !== before) return false;
      const work = createWork();
      addWork(work, evaluated, memories.change(-1, evaluated.memories));
      await commitBeside(work);
      return true;
    });
  }

  async function noteUnfit(at: number): Promise<void> {
    const unfit = watchList.takeUnfit();
    if (unfit.length === 0) return;
    const outcomes = unfit.map(({ subscriber, message }) => ({
      subscriber,
      fault: { subscriber, message, at, isUnfit: true },
    }));
    await alone(() => commitBeside({ ...createWork(), outcomes }));
  }

  function commitBeside(work: Work): Promise<void> {
    return commit(work, async (tx) => {
      await assertHolder(tx, chain.uid, holder);
      await write(tx, work);
    });
  }

  async function commit(work: Work, writeAll: (tx: Db) => Promise<void>): Promise<void> {
    const faults = work.outcomes.flatMap(({ fault }) => (fault ? [faultFinding(fault)] : []));
    await prepareRaise(store, [...work.findings, ...faults]);
    await store.transaction(writeAll);
    ledger.written(work.outcomes);
  }

  async function write(tx: Db, work: Work): Promise<void> {
    const alarms = await ledger.write(tx, work.outcomes);
    const findings = await limitRate(tx, [...work.findings, ...alarms.map(faultFinding)], now());
    await raise(tx, findings, options.follow);
    await saveStates(tx, chain.uid, work.states);
  }

  return {
    handle,
    tick,
    /** Nothing is written any more once this is through. */
    async stop(): Promise<void> {
      isStopped = true;
      await turn;
    },
  };
}

type Work = { findings: Finding[]; states: StateChange[]; outcomes: Outcome[]; funded: FundedAddress[] };

function createWork(): Work {
  return { findings: [], states: [], outcomes: [], funded: [] };
}

function addWork(work: Work, { findings, faults, worked }: Evaluated, states: readonly StateChange[]): void {
  work.findings.push(...findings);
  work.states.push(...states);
  for (const subscriber of worked) work.outcomes.push({ subscriber });
  for (const fault of faults) work.outcomes.push({ subscriber: fault.subscriber, fault });
}

function toRef({ number, hash }: Header): BlockRef {
  return { number, hash };
}

import { limitRate } from '../../alerts/limitRate.ts';
import { type AlertHook, prepareRaise, raiseAlerts } from '../../alerts/raiseAlerts.ts';
import { type RetractionHook, retractBlocks } from '../../alerts/retractBlocks.ts';
import type { Chain } from '../../chains/chains.ts';
import type { AuditKeys } from '../../lib/auditKey.ts';
import type { Fetch } from '../../matching/createReadCache.ts';
import type { Matches } from '../../matching/createSubscriptionIndex.ts';
import { type Evaluated, evaluateMatches } from '../../matching/evaluateMatches.ts';
import type { Subscriber, SubscriberRef } from '../../matching/subscriber.ts';
import type { Finding } from '../../model/alert.ts';
import type { Block, BlockRef, Header } from '../../model/block.ts';
import type { Observation } from '../../model/detection.ts';
import type { Db, Store } from '../../store/db.ts';
import {
  advanceCursor,
  assertHolder,
  finalizeChain,
  rewindCursor,
  saveTick,
} from '../../store/watch/cursor.ts';
import {
  type Backlog,
  type DeferredRow,
  deleteDeferred,
  deleteDeferredAbove,
  dropDeferred,
  insertDeferred,
} from '../../store/watch/deferred.ts';
import type { FundedAddress } from '../../store/watch/funding.ts';
import { markForInspection } from '../../store/watch/inspection.ts';
import { type StateChange, saveStates, undoStates } from '../../store/watch/states.ts';
import { createDeferredLane, type Deferred } from '../../watch/createDeferredLane.ts';
import type { FundingTracker } from '../../watch/createFundingTracker.ts';
import { createScriptBudget } from '../../watch/createScriptBudget.ts';
import { createStateCache } from '../../watch/createStateCache.ts';
import type { WatchList } from '../../watch/createWatchList.ts';
import type { WatchMeter } from '../../watch/createWatchMeter.ts';
import type { ChainMessage } from '../../watch/followChain.ts';
import type { Deferrals } from '../../watch/openDeferrals.ts';
import {
  type FaultLedger,
  faultFinding,
  type LoopingScript,
  type Outcome,
} from '../../watch/openFaultLedger.ts';
import { lateFinding, switchOffSubscriber } from '../../watch/switchOffSubscriber.ts';

export type PipelineOptions = {
  chain: Chain;
  store: Store;
  watchList: WatchList;
  fetch: Fetch;
  ledger: FaultLedger;
  deferrals: Deferrals;
  funding: FundingTracker;
  meter: WatchMeter;
  /** For the record of what is switched off. */
  auditKeys: Pick<AuditKeys, 'newest'>;
  /** Who holds the chain's lease. */
  holder: string;
  confirmations: number;
  /** Reads a block again that was deferred. */
  block: (number: number) => Promise<Block | null>;
  /** The newest block of the chain that is known of. */
  head: () => number;
  alertHooks: readonly AlertHook[];
  retractionHooks: readonly RetractionHook[];
  now: () => number;
  /** Called when deferred evaluations fail; they are retried. */
  onError: (error: unknown) => void;
};

/** From block to alert on one chain. Every message is one transaction: either it happened wholly, or it did not. */
export function createPipeline(options: PipelineOptions, tip: Header | undefined) {
  const { chain, store, watchList, ledger, deferrals, funding, meter, holder, now } = options;
  // What the blocks at hand tell of funding is not in the store yet.
  const fetch = funding.withUnwritten(options.fetch);
  const memories = createStateCache(store);
  const bank = createScriptBudget();
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
  let areDeferralsStale = false;
  let turn: Promise<unknown> = Promise.resolve();

  /** Blocks and the clock take turns, because both change what is remembered. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const run = turn.then(work).catch((error: unknown) => {
      // What was not written is not remembered either.
      memories.clear();
      funding.invalidate();
      areDeferralsStale = true;
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
    await refreshDeferrals();
    const work = createWork();
    const waiting = new Set<Subscriber>();
    let previous = last;
    for (const block of blocks) {
      const matches = watchList.index.match(block, previous);
      const later = takeDeferred(matches, waiting);
      await memories.load(matches.keys());
      work.funded.push(...funding.trace(block));
      const allowance = bank.openBlock();
      const evaluated = await evaluateMatches(matches, memories.get, (requests) =>
        fetch(requests, { allowance }),
      );
      addWork(work, evaluated, memories.apply(block.number, evaluated.states));
      for (const { subscriber, reason } of [...later, ...evaluated.deferred]) {
        waiting.add(subscriber);
        work.deferred.push(toDeferred(subscriber, block, previous, reason));
      }
      if (later.length + evaluated.deferred.length > 0) lane.keep(block);
      meter.block(block, matches, evaluated);
      previous = block;
    }
    const upgraded = blocks.flatMap((block) => block.upgraded.filter(watchList.index.has));
    await commit(work, async (tx) => {
      await advanceCursor(tx, step(), blocks);
      await write(tx, work);
      await funding.write(tx, work.funded, blocks.at(-1)!.timestamp);
      await markForInspection(tx, chain.uid, upgraded);
      await insertDeferred(tx, chain.uid, work.deferred, now());
    });
    deferrals.add(work.deferred, now());
    last = previous;
    meter.stored(blocks, work.findings, options.head());
    lane.start();
  }

  async function refreshDeferrals(): Promise<void> {
    if (!areDeferralsStale) return;
    await deferrals.reload();
    areDeferralsStale = false;
  }

  /** Takes out who must wait: what it remembers depends on the order of its blocks. */
  function takeDeferred(matches: Matches, waiting: ReadonlySet<Subscriber>) {
    const later: { subscriber: Subscriber; reason: string }[] = [];
    for (const subscriber of matches.keys()) {
      const reason = waiting.has(subscriber) ? 'order' : deferrals.reasonFor(subscriber);
      if (reason === undefined) continue;
      later.push({ subscriber, reason });
      matches.delete(subscriber);
    }
    return later;
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
    const evaluated = await evaluateMatches(matches, memories.get, fetch);
    const work = createWork();
    // That the chain was reorganised stays true whichever branch wins.
    addWork(work, evaluated, memories.apply(-1, evaluated.states));
    const height = to?.number ?? dropped.at(-1)!.number - 1;
    await commit(work, async (tx) => {
      await rewindCursor(tx, step(), to, height);
      await retractBlocks(tx, { chainUid: chain.uid, blocks: dropped, now: now() }, options.retractionHooks);
      await undoStates(tx, chain.uid, height);
      await deleteDeferredAbove(tx, chain.uid, height);
      await funding.rewind(tx, to?.number ?? -1);
      await write(tx, work);
    });
    last = to;
    memories.clear();
    funding.invalidate();
    await deferrals.reload();
  }

  const lane = createDeferredLane({
    chainUid: chain.uid,
    store,
    deferrals,
    fetch,
    readBlock: options.block,
    findSubscriber: watchList.find,
    loadState: (subscriber) =>
      alone(async () => {
        await refreshDeferrals();
        await memories.load([subscriber]);
        return memories.get(subscriber);
      }),
    settle: (deferred) => alone(() => settleDeferred(deferred)),
    drop: (backlog) =>
      alone(async () => {
        if (isStopped) return;
        await store.transaction(async (tx) => {
          await assertHolder(tx, chain.uid, holder);
          await dropDeferred(tx, chain.uid, backlog);
        });
        deferrals.drop(backlog);
      }),
    reportLate: (subscriber, backlog) =>
      alone(async () => {
        if (!isStopped) await commitBeside({ ...createWork(), findings: [lateFinding(subscriber, backlog)] });
      }),
    switchOff: (subscriber, backlog) => alone(() => giveUp(subscriber, backlog)),
    isStopped: () => isStopped,
    now,
    onError: options.onError,
  });

  /** False when a reorganisation or the clock has changed meanwhile what the subscriber remembers. */
  async function settleDeferred({ subscriber, row, before, evaluated, epoch }: Deferred): Promise<boolean> {
    if (isStopped) return true;
    if (deferrals.epoch() !== epoch || memories.get(subscriber) !== before) return false;
    const work = createWork();
    addWork(work, evaluated, memories.apply(row.number, evaluated.states));
    const [fault] = evaluated.faults;
    const isLooping = fault?.loopedAt !== undefined;
    await commit(work, async (tx) => {
      await assertHolder(tx, chain.uid, holder);
      if (!(await deleteDeferred(tx, chain.uid, row)))
        throw new Error('A deferred evaluation was settled by someone else.');
      await write(tx, work);
    });
    meter.raised(work.findings);
    deferrals.complete(subscriber);
    deferrals.setSlow(subscriber, isLooping);
    const looped = work.looping[0]?.looped ?? 1;
    if (isLooping) deferrals.delay(subscriber, now() + slowMs * 2 ** Math.min(looped - 1, 5));
    for (const gone of work.switchedOff) forgetSwitchedOff(gone);
    return true;
  }

  async function giveUp(subscriber: Subscriber, backlog: Backlog): Promise<void> {
    if (isStopped) return;
    const at = now();
    const why = `its scripts need more time than its tenant has a share of, and it is ${backlog.count} blocks behind`;
    const fault = { subscriber, message: why, at };
    await prepareRaise(store, [faultFinding(fault)]);
    await store.transaction(async (tx) => {
      await assertHolder(tx, chain.uid, holder);
      const notice = await switchOffSubscriber(tx, options.auditKeys, { subscriber, why, at, now: at });
      if (notice) await raiseAlerts(tx, [notice], options.alertHooks);
    });
    ledger.committed([{ subscriber, fault }]);
    forgetSwitchedOff(subscriber);
  }

  /** The watch list would be notified too, but perhaps only after the next block. */
  function forgetSwitchedOff(subscriber: SubscriberRef): void {
    deferrals.drop(subscriber);
    watchList.onNotify(`contract ${subscriber.contract.id}`);
  }

  const ticking = new Set<string>();

  /** What happens by the clock and not by blocks; slow ones hold up nobody else. */
  async function tick(previousAt: number, at: number): Promise<void> {
    lane.start();
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
      return memories.get(subscriber);
    });
    const matches = new Map([
      [subscriber, [{ type: 'clock', at, newest: newest(at) } satisfies Observation]],
    ]);
    const evaluated = await evaluateMatches(
      matches,
      () => before,
      (requests) => fetch(requests, 'background'),
    );
    return alone(async () => {
      if (isStopped) return true;
      if (memories.get(subscriber) !== before) return false;
      const work = createWork();
      addWork(work, evaluated, memories.apply(-1, evaluated.states));
      await commitBeside(work);
      return true;
    });
  }

  async function noteUnfit(at: number): Promise<void> {
    const unfit = watchList.takeInvalid();
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
    ledger.committed(work.outcomes);
  }

  async function write(tx: Db, work: Work): Promise<void> {
    const { alerting, looping } = await ledger.write(tx, work.outcomes);
    work.looping = looping;
    const findings = await limitRate(tx, [...work.findings, ...alerting.map(faultFinding)], now());
    await raiseAlerts(tx, [...findings, ...(await switchOffLooping(tx, work))], options.alertHooks);
    await saveStates(tx, chain.uid, work.states);
  }

  /** What did not end again and again is switched off; its owner is told even beyond the rate of alerts. */
  async function switchOffLooping(tx: Db, work: Work): Promise<Finding[]> {
    const notices: Finding[] = [];
    work.switchedOff = [];
    for (const { fault, looped, loopedFrom } of work.looping) {
      if (looped < mostLoops) continue;
      const subscriber = fault.subscriber;
      const [from, to] = [loopedFrom ?? -1, fault.loopedAt ?? -1];
      const where = from < 0 ? `${looped} times` : `in ${looped} blocks`;
      const notice = await switchOffSubscriber(tx, options.auditKeys, {
        subscriber,
        why: `its script did not end within its time ${where} in a row`,
        ...(from < 0 ? {} : { failed: { first: from, last: to } }),
        at: fault.at,
        now: now(),
      });
      if (!notice) continue;
      notices.push(notice);
      work.switchedOff.push(subscriber);
    }
    return notices;
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

type Work = {
  findings: Finding[];
  states: StateChange[];
  outcomes: Outcome[];
  funded: FundedAddress[];
  deferred: DeferredRow[];
  /** What was found to loop and switched off for it while this was written. */
  looping: LoopingScript[];
  switchedOff: SubscriberRef[];
};

/** Blocks in a row in which a script may fail to end until it is switched off, and how long it then waits at first. */
const mostLoops = 5;
const slowMs = 1000;

function createWork(): Work {
  return {
    findings: [],
    states: [],
    outcomes: [],
    funded: [],
    deferred: [],
    looping: [],
    switchedOff: [],
  };
}

function addWork(
  work: Work,
  { findings, faults, succeeded }: Evaluated,
  states: readonly StateChange[],
): void {
  work.findings.push(...findings);
  work.states.push(...states);
  for (const subscriber of succeeded) work.outcomes.push({ subscriber });
  for (const fault of faults) work.outcomes.push({ subscriber: fault.subscriber, fault });
}

function toDeferred(
  { kind, id, contract }: Subscriber,
  { number, hash }: Header,
  previous: Header | undefined,
  reason: string,
): DeferredRow {
  return {
    kind,
    id,
    number,
    hash,
    previous: previous ? { number: previous.number, timestamp: previous.timestamp } : null,
    tenantId: contract.tenantId,
    reason,
  };
}

function toRef({ number, hash }: Header): BlockRef {
  return { number, hash };
}

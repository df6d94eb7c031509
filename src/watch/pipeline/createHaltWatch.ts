import { type ChainHalt, findHaltWatchers, saveHalt } from '../../store/watch/halts.ts';
import { commitWrites, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { haltEndFindings, haltFindings, type Silence } from '../follow/haltFindings.ts';

/** A chain is silent after this many block times without a block, and this long at least, as `chain_halt` has it. */
const silentFactor = 5;
const minSilentMs = 60_000;
/** Between two looks at whether blocks come. */
const maxUnobservedMs = 10_000;

/**
 * Alerts each tenant of the chain once when blocks stop, and once when they return. Tenants with a `chain_halt` get its
 * alerts. The state is stored with the alerts, so no restart repeats them.
 */
export function createHaltWatch(context: PipelineContext, stored: ChainHalt | undefined) {
  const { chain, store, watchList, holder, alerts } = context;
  const startedAt = context.now();
  /** The newest block that was stored, and when it was seen to be: blocks may carry a wrong time. */
  let seen = { tip: context.tip, at: startedAt };
  const limitMs = Math.max(silentFactor * chain.blockTimeMs, minSilentMs);
  let halt = stored;
  /** Since when blocks come without a break. */
  let steadyFrom: number | undefined;
  let wasSteady = false;
  let observedAt = startedAt;

  async function check(time: number): Promise<void> {
    const silence = findSilence(time);
    if (silence && !halt) await context.runExclusive(() => raiseHalt(silence, time));
    else if (halt && !silence && isOver(halt)) await context.runExclusive(() => raiseEnd(time));
  }

  function findSilence(time: number): Silence | undefined {
    const { tip } = context;
    const isReachable = context.isReachable();
    if (seen.tip !== tip) seen = { tip, at: time };
    const newestAt = Math.max(tip?.timestamp ?? 0, seen.at);
    observeSteadiness(time, newestAt);
    // While blocks remain to be caught up with, the chain is known to make some, unless no node answers any more.
    if (isReachable && tip && context.head() > tip.number) return undefined;
    // A chain that answers and has no block here yet is about to be followed.
    if (isReachable && !tip) return undefined;
    if (time - newestAt <= limitMs) return undefined;
    // A chain of developers may make blocks only when someone sends a transaction.
    if (isReachable && chain.network === 'DEVNET' && !wasSteady) return undefined;
    return { after: tip?.number ?? -1, since: tip?.timestamp ?? startedAt, isReachable };
  }

  function observeSteadiness(time: number, newestAt: number): void {
    const isFresh = context.tip !== undefined && time - newestAt <= silentFactor * chain.blockTimeMs;
    // A process that slept has seen nothing meanwhile.
    if (time - observedAt > maxUnobservedMs) steadyFrom = undefined;
    observedAt = time;
    if (isFresh) {
      steadyFrom ??= time;
      wasSteady = time - steadyFrom >= minSilentMs;
    } else steadyFrom = undefined;
  }

  function isOver({ after }: ChainHalt): boolean {
    return context.tip !== undefined && context.tip.number > after;
  }

  /** Again inside the mutex, because a block may have come while it was waited for. */
  async function raiseHalt(silence: Silence, time: number): Promise<void> {
    if (context.isStopped || halt || (context.tip?.number ?? -1) !== silence.after) return;
    await watchList.refresh(store);
    const watchers = silence.after >= 0 ? await findHaltWatchers(store, chain.uid) : new Set<number>();
    const findings = haltFindings(chain, contracts(watchers), silence, time);
    const next = { after: silence.after, at: time };
    await commit(findings, next);
    halt = next;
  }

  async function raiseEnd(time: number): Promise<void> {
    const { tip } = context;
    if (context.isStopped || !halt || !tip) return;
    await watchList.refresh(store);
    const watchers = halt.after >= 0 ? await findHaltWatchers(store, chain.uid) : new Set<number>();
    await commit(haltEndFindings(chain, contracts(watchers), halt, tip.number, time), undefined);
    halt = undefined;
  }

  function* contracts(without: ReadonlySet<number>) {
    for (const { contract } of watchList.contracts()) if (!without.has(contract.tenantId)) yield contract;
  }

  async function commit(
    findings: ReturnType<typeof haltFindings>,
    next: ChainHalt | undefined,
  ): Promise<void> {
    await alerts.prepare(findings);
    await commitWrites(context, createWrites(), async (tx) => {
      await saveHalt(tx, { chainUid: chain.uid, holder }, next);
      return [{ type: 'raise', of: 'notices', findings }];
    });
  }

  return { check };
}

import type { ChainState } from '../../store/watch/chainStates.ts';

export const watchStates = ['idle', 'ok', 'degraded', 'behind', 'halted', 'blind'] as const;
export type WatchState = (typeof watchStates)[number];

type Facts = {
  now: number;
  blockTimeMs: number;
  isConfigured: boolean;
  /** The caller's active contracts, and detectors and triggers whose last evaluation failed. */
  contracts: number;
  failing: number;
  state:
    | (Pick<ChainState, 'isFollowed' | 'head' | 'processed' | 'processedAt' | 'endpoints'> &
        Partial<Pick<ChainState, 'traces'>>)
    | undefined;
};

/** A chain is behind by more than this many blocks and this long. */
const maxLagBlocks = 2;
const maxLagMs = 15_000;
/** A chain without a new block for this many block times, and this long, has halted; as `chain_halt` has it. */
const haltFactor = 5;
const minHaltMs = 30_000;

/** State of watching a chain in one word, and the reason. */
export function judgeChain(facts: Facts): { watchState: WatchState; watchReason: string | null } {
  const { contracts, isConfigured, state, failing } = facts;
  const judge = (watchState: WatchState, watchReason: string | null = null) => ({ watchState, watchReason });
  if (contracts === 0 && !state?.isFollowed) return judge('idle');
  if (!isConfigured) return judge('blind', 'No endpoint of the chain is configured here.');
  if (!state?.isFollowed) return judge('blind', 'No process follows the chain at the moment.');
  const unreadable = unreadableReason(state.endpoints ?? []);
  if (unreadable) return judge('blind', unreadable);
  const halted = haltReason(facts, state);
  if (halted) return judge('halted', halted);
  const late = lagReason(facts, state);
  if (late) return judge('behind', late);
  if (failing > 0)
    return judge(
      'degraded',
      `${failing} of your detectors and triggers on it failed at ${failing === 1 ? 'its' : 'their'} last evaluation; GET /detector/{id}/fault has the reason.`,
    );
  const { mode, reason = null } = state.traces ?? {};
  if (mode === 'required' && reason !== null) return judge('degraded', reason);
  return judge('ok');
}

/** The names of nodes and what they say may hold access keys, so only their number is shown. */
function unreadableReason(endpoints: readonly unknown[]): string | undefined {
  const troubled = endpoints.filter((endpoint) => memberOf(endpoint, 'state') !== 'ok');
  if (endpoints.length === 0 || troubled.length < endpoints.length) return undefined;
  const nodes = endpoints.length === 1 ? 'The only node' : `All ${endpoints.length} nodes`;
  const isWithoutLogs = troubled.every((endpoint) =>
    /\blogs\b/.test(String(memberOf(endpoint, 'lastFault'))),
  );
  const trouble = isWithoutLogs ? 'without all their logs' : 'wrong, old or no answers';
  return `${nodes} of the chain gave ${isWithoutLogs ? `blocks ${trouble}` : trouble}.`;
}

/** Number of endpoints, of those with wrong, old or no answers, and the newest block of the rest. */
export function endpointsOf(endpoints: readonly unknown[]): {
  count: number;
  troubled: number;
  head: number;
} {
  const well = endpoints.filter((endpoint) => memberOf(endpoint, 'state') === 'ok');
  const heads = well.map((endpoint) => Number(memberOf(endpoint, 'head') ?? 0));
  return { count: endpoints.length, troubled: endpoints.length - well.length, head: Math.max(0, ...heads) };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

function haltReason(
  { now, blockTimeMs }: Facts,
  { head, processed, processedAt }: NonNullable<Facts['state']>,
): string | undefined {
  if (processedAt === null || head === null || processed === null || head > processed) return undefined;
  const silentMs = now - processedAt;
  if (silentMs <= Math.max(minHaltMs, haltFactor * blockTimeMs)) return undefined;
  return `No new block for ${seconds(silentMs)}; one comes every ${seconds(blockTimeMs)} as a rule.`;
}

function lagReason(
  { now, blockTimeMs }: Facts,
  { head, processed, processedAt }: NonNullable<Facts['state']>,
): string | undefined {
  if (processed === null || head === null) return 'No block has been processed yet.';
  const blocks = head - processed;
  const lateMs = processedAt === null ? blocks * blockTimeMs : now - processedAt;
  if (blocks <= maxLagBlocks || lateMs <= maxLagMs) return undefined;
  return `${blocks.toLocaleString('en')} blocks remain to be processed; the newest one that was is ${seconds(lateMs)} old.`;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${ms / 1000} s` : `${Math.round(ms / 1000).toLocaleString('en')} s`;
}

import type { HeartbeatFault } from '../../model/heartbeat.ts';
import type { Vitals } from '../../store/telemetry/vitals.ts';
import { endpointsOf } from '../contracts/judgeChain.ts';

type Facts = {
  now: number;
  /** Longest standstill of any part; chains with slow blocks get the time of five blocks. */
  limitMs: number;
  vitals: Vitals;
  /** Undefined for a chain that is no longer there. */
  findChain: (uid: string) => { name: string; blockTimeMs: number } | undefined;
};

/** Times within a second or two are the same; signatures of webhooks allow five minutes. */
export const maxClockSkewMs = 30_000;
/** As `chain_halt` has it. */
const silentBlocks = 5;
/** A chain is behind by more than this many blocks. */
const maxLagBlocks = 2;

/**
 * Faults that keep an installation from noticing or reporting: chains that are not followed or late, and stuck queues.
 * A chain without new blocks is no fault, because its tenants have an alert.
 */
export function judgeVitals({ now, limitMs, vitals, findChain }: Facts): HeartbeatFault[] {
  const faults: HeartbeatFault[] = [];
  const add = (part: HeartbeatFault['part'], message: string, chainUid: string | null = null) =>
    faults.push({ part, chainUid, message });

  const skewMs = now - vitals.at;
  if (Math.abs(skewMs) > maxClockSkewMs)
    add(
      'clock',
      `The clock of this process is ${seconds(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} that of the database.`,
    );
  for (const chain of vitals.chains) {
    const facts = findChain(chain.chainUid);
    const reason = facts && chainReason(chain, { now, limitMs, ...facts });
    if (reason) add('chain', reason, chain.chainUid);
  }
  const { canaryAt } = vitals;
  if (canaryAt === null || now - canaryAt > limitMs)
    add(
      'deliveries',
      canaryAt === null
        ? 'No canary has come through the queue of deliveries.'
        : `No canary has come through the queue of deliveries for ${seconds(now - canaryAt)}.`,
    );
  for (const queue of ['intents', 'scores'] as const) {
    const passedAt = vitals.passes.find((pass) => pass.queue === queue)?.at;
    const worker = queue === 'intents' ? 'fires actions' : 'scores';
    if (passedAt === undefined || now - passedAt > limitMs)
      add(
        queue,
        `No process that ${worker} has gone through its queue${passedAt === undefined ? '' : ` for ${seconds(now - passedAt)}`}.`,
      );
    const since = queue === 'intents' ? vitals.stuckIntent : vitals.stuckScore;
    const work = queue === 'intents' ? 'A call of an action' : 'The score of an alert';
    if (since !== null) add(queue, `${work} has been due for ${seconds(now - since)}, and none moves.`);
  }
  if (vitals.unwritten !== null && now - vitals.unwritten > limitMs)
    add(
      'alerts',
      `Alerts have waited for ${seconds(now - vitals.unwritten)} for a database server that cannot be written to.`,
    );
  return faults;
}

type ChainFacts = Pick<Facts, 'now' | 'limitMs'> & { name: string; blockTimeMs: number };

function chainReason(
  chain: Vitals['chains'][number],
  { now, limitMs, name, blockTimeMs }: ChainFacts,
): string | undefined {
  if (!chain.isFollowed) return `No process follows ${name}.`;
  const patienceMs = Math.max(limitMs, silentBlocks * blockTimeMs);
  const { troubled, count, head: seen } = endpointsOf(chain.endpoints ?? []);
  const { processed, movedAt, processedAt } = chain;
  if (processed === null) return `No block of ${name} has been processed yet.`;
  const silentMs = now - (movedAt ?? 0);
  if (count > 0 && troubled === count && silentMs > patienceMs)
    return `No node of ${name} gives right answers, and no block was processed for ${seconds(silentMs)}.`;
  const lag = Math.max(chain.head ?? 0, seen) - processed;
  if (lag > 0 && silentMs > patienceMs)
    return `${name} has ${lag.toLocaleString('en')} new blocks, and none was processed for ${seconds(silentMs)}.`;
  const lateMs = processedAt === null ? lag * blockTimeMs : now - processedAt;
  if (lag > maxLagBlocks && lateMs > patienceMs)
    return `${name} is ${lag.toLocaleString('en')} blocks behind; the newest one that was processed is ${seconds(lateMs)} old.`;
  return undefined;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000).toLocaleString('en')} s`;
}

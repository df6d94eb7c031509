import type { Logger } from 'pino';
import { findChain } from '../chains/chains.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { maskOrigin } from '../lib/maskEndpoint.ts';
import { messageOf } from '../lib/messageOf.ts';
import type { Secret } from '../lib/secret.ts';
import { startPoller } from '../lib/startPoller.ts';
import { settleWithin, withTimeLimit } from '../lib/withTimeLimit.ts';
import type { HeartbeatFault } from '../model/heartbeat.ts';
import { judgeVitals, maxClockSkewMs } from '../services/telemetry/judgeVitals.ts';
import type { Store } from '../store/db/db.ts';
import { queueCanary } from '../store/destinations/canary.ts';
import { claimBeat, saveHeartbeat, settleBeat } from '../store/telemetry/heartbeat.ts';
import { readVitals } from '../store/telemetry/vitals.ts';

type Options = {
  store: Store;
  /** Called while all is well; they may hold a key. */
  addresses: readonly Secret[];
  everyMs: number;
  /** The chains that have endpoints here. */
  configuredChains: () => readonly string[];
  now: () => number;
  log: Logger;
};

/** Looks within the time between two calls, so that a moment without a follower delays a call and leaves none out. */
const looksPerCall = 4;
const callTimeoutMs = 10_000;

/**
 * Judges the installation by its database, stores the result, and calls the addresses while all is well. Every working
 * process judges, so a hanging one stops nothing.
 */
export function startHeartbeat(options: Options): Stoppable {
  const { store, addresses, everyMs, configuredChains, now, log } = options;
  const startedAt = now();
  const clock = createClockCheck(now);
  let reported = '';
  let sendFault: string | null = null;
  const stopping = new AbortController();

  async function look(): Promise<void> {
    const jump = clock();
    const time = now();
    const faults = await settleWithin(everyMs, findFaults(time), () => [
      databaseFault('The database does not answer.'),
    ]);
    if (jump) faults.unshift(jump);
    if (stopping.signal.aborted) return;
    report(faults, time);
    if (faults.some(({ part }) => part === 'database')) return;
    const sentAt = await saveHeartbeat(store, { now: time, everyMs, faults, addresses: addresses.length });
    await queueCanary(store, time);
    if (faults.length === 0 && addresses.length > 0) await call(sentAt);
  }

  async function findFaults(time: number): Promise<HeartbeatFault[]> {
    try {
      const vitals = await readVitals(store, { now: time, limitMs: everyMs, configured: configuredChains() });
      return judgeVitals({ now: time, limitMs: everyMs, vitals, findChain });
    } catch (error) {
      return [databaseFault(`The database refuses: ${messageOf(error)}`)];
    }
  }

  /** Once for each change; what is missing just after the start is about to come. */
  function report(faults: readonly HeartbeatFault[], time: number): void {
    const parts = faults.map(({ part, chainUid }) => [part, chainUid ?? ''].join(' ')).join();
    if (parts === reported || (faults.length > 0 && time < startedAt + everyMs)) return;
    reported = parts;
    if (faults.length > 0)
      log.error({ faults: faults.map(({ message }) => message) }, 'The heartbeat stops until this is mended');
    else log.info('All parts work again; the heartbeat goes on');
  }

  async function call(before: number | null): Promise<void> {
    const sentAt = now();
    const slackMs = Math.floor(everyMs / (2 * looksPerCall));
    if (!(await claimBeat(store, sentAt - everyMs + slackMs, sentAt))) return;
    const outcomes = await Promise.all(addresses.map((address) => callAddress(address, stopping.signal)));
    const fault = outcomes.find((outcome) => outcome !== null) ?? null;
    if (fault !== null && fault !== sendFault && !stopping.signal.aborted)
      log.error({ reason: fault }, 'A call of the heartbeat was not taken; retrying');
    sendFault = fault;
    await settleBeat(store, { fault, sentAt, before });
  }

  const poller = startPoller(look, {
    everyMs: everyMs / looksPerCall,
    onError: (error) => report([databaseFault(messageOf(error))], now()),
  });
  // The first look finds a canary.
  queueCanary(store, startedAt).catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await poller.stop();
    },
  };
}

function databaseFault(message: string): HeartbeatFault {
  return { part: 'database', chainUid: null, message };
}

/**
 * Finds jumps of the clock since the look before. After one back in time, what was scheduled before waits until the clock is there
 * again.
 */
function createClockCheck(now: () => number): () => HeartbeatFault | undefined {
  let wall = now();
  let monotonic = performance.now();
  let highest = wall;
  return () => {
    const time = now();
    const jumpMs = time - wall - (performance.now() - monotonic);
    wall = time;
    monotonic = performance.now();
    const behindMs = highest - time;
    highest = Math.max(highest, time);
    const fault = (message: string): HeartbeatFault => ({ part: 'clock', chainUid: null, message });
    if (behindMs > maxClockSkewMs)
      return fault(`The clock went back; it is ${Math.round(behindMs / 1000)} s behind what it was.`);
    if (jumpMs > maxClockSkewMs)
      return fault(`The clock went ahead by ${Math.round(jumpMs / 1000)} s at once.`);
    return undefined;
  };
}

/** Null when it was taken; the reason otherwise, without what may be a key. */
async function callAddress(address: Secret, signal: AbortSignal): Promise<string | null> {
  const origin = maskOrigin(address.reveal());
  try {
    return await withTimeLimit(signal, callTimeoutMs, async (limit) => {
      const headers = { 'user-agent': 'Vigil' };
      const response = await fetch(address.reveal(), { headers, redirect: 'manual', signal: limit });
      await response.body?.cancel();
      return response.ok ? null : `${origin} answered ${response.status}.`;
    });
  } catch (error) {
    const { name } = error instanceof Error ? error : { name: '' };
    return name === 'TimeoutError' ? `${origin} did not answer in time.` : `${origin} cannot be reached.`;
  }
}

import { createCoalescedLoop } from '../lib/createCoalescedLoop.ts';
import { createThrottle } from '../lib/createThrottle.ts';
import type { Sandbox } from '../scripts/sandbox.ts';
import type { Store } from '../store/db/db.ts';
import { claimLanes, type Lane, renewLanes } from '../store/scores/lanes.ts';
import { defaultPassEveryMs, notePass } from '../store/telemetry/vitals.ts';
import { type LaneOutcome, scoreLane } from './scoreLane.ts';
import { tickScores } from './tickScores.ts';

type Options = {
  store: Store;
  run: Sandbox['run'];
  /** Subscribes to notifications of queued work. */
  listen: (onNotify: () => void) => () => Promise<void>;
  /** Called for every batch that was written. */
  onScored: (lane: Lane, outcome: LaneOutcome) => void;
  now: () => number;
  onError: (error: unknown) => void;
  /** Interval at which it reports that it goes through its queue. */
  passEveryMs?: number | undefined;
};

/** Instances that this process scores at once; each uses a connection while it writes. */
const maxLanes = 8;
const pollMs = 1000;
const tickMs = 5000;
/** Well below the lease of a lane. */
const renewMs = 3000;

/** Scores queued events until it is stopped. Any number of processes may run it side by side. */
export function startScorer(options: Options): { stop(): Promise<void> } {
  const { store, now, onError, passEveryMs = defaultPassEveryMs } = options;
  const throttlePass = createThrottle(passEveryMs);
  const running = new Map<Lane, Promise<void>>();
  let isStopped = false;
  let ticking: Promise<void> | undefined;
  let renewing: Promise<void> | undefined;
  const { wake, stop: stopPolling } = createCoalescedLoop(claim, onError);

  async function claim(): Promise<void> {
    const limit = maxLanes - running.size;
    if (limit > 0) for (const lane of await claimLanes(store, limit, [...running.keys()])) start(lane);
    await throttlePass(() => notePass(store, 'scores', now()));
  }

  /** A lane whose scoring failed is claimed again when its lease ends, so that a bug does not cause a busy loop. */
  function start(lane: Lane): void {
    const work = scoreLane(options, lane)
      .then((outcome) => options.onScored(lane, outcome))
      .catch(onError)
      .finally(() => {
        running.delete(lane);
        wake();
      });
    running.set(lane, work);
  }

  function tick(): void {
    if (isStopped) return;
    ticking ??= tickScores(store, now())
      .catch(onError)
      .finally(() => {
        ticking = undefined;
      });
  }

  function renew(): void {
    if (running.size === 0) return;
    renewing ??= renewLanes(store, [...running.keys()])
      .catch(onError)
      .finally(() => {
        renewing = undefined;
      });
  }

  const unlisten = options.listen(wake);
  const timers = [setInterval(wake, pollMs), setInterval(tick, tickMs), setInterval(renew, renewMs)];
  wake();
  tick();

  return {
    /** Finishes the lanes under way. */
    async stop() {
      isStopped = true;
      const polled = stopPolling();
      await unlisten();
      await polled;
      await ticking;
      await Promise.all(running.values());
      for (const timer of timers) clearInterval(timer);
      await renewing;
    },
  };
}

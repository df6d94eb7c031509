import type { Stoppable } from '../lib/createLifecycle.ts';
import { createThrottle } from '../lib/createThrottle.ts';
import { startPoller } from '../lib/startPoller.ts';
import type { Sandbox } from '../scripts/sandbox.ts';
import type { Store } from '../store/db/db.ts';
import { pollDue } from '../store/db/pollDue.ts';
import { claimLanes, hasScoreWork, type Lane, renewLanes } from '../store/scores/lanes.ts';
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
const tickMs = 5000;
/** Well below the lease of a lane. */
const renewMs = 3000;

/** Scores queued events until it is stopped. Any number of processes may run it side by side. */
export function startScorer(options: Options): Stoppable {
  const { store, now, onError, passEveryMs = defaultPassEveryMs } = options;
  const throttlePass = createThrottle(passEveryMs);
  const running = new Map<Lane, Promise<void>>();

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
        poller.wake();
      });
    running.set(lane, work);
  }

  async function renew(): Promise<void> {
    if (running.size > 0) await renewLanes(store, [...running.keys()]);
  }

  const poller = startPoller(claim, {
    // Also while nothing is queued, to show that it goes through its queue.
    everyMs: passEveryMs,
    whenDue: (wake) => pollDue(store, () => hasScoreWork, wake),
    listen: options.listen,
    onError,
  });
  const ticker = startPoller(() => tickScores(store, now()), { everyMs: tickMs, onError });
  const renewer = startPoller(renew, { everyMs: renewMs, onError });
  poller.wake();
  ticker.wake();

  return {
    /** Finishes the lanes under way. */
    async stop() {
      await Promise.all([poller.stop(), ticker.stop()]);
      await Promise.all(running.values());
      await renewer.stop();
    },
  };
}

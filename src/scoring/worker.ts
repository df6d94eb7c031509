import { createCoalescedLoop } from '../lib/createCoalescedLoop.ts';
import type { Sandbox } from '../scripts/sandbox.ts';
import type { Store } from '../store/db.ts';
import { claimLanes, type Lane, renewLanes } from '../store/scores/lanes.ts';
import { type LaneOutcome, scoreLane } from './scoreLane.ts';
import { tickScores } from './tickScores.ts';

type Options = {
  store: Store;
  run: Sandbox['run'];
  /** Subscribes to notifications of new score work. */
  listen: (onMessage: () => void) => () => Promise<void>;
  /** Told of every batch that was written. */
  scored: (lane: Lane, outcome: LaneOutcome) => void;
  now: () => number;
  onError: (error: unknown) => void;
};

/** Instances that this process scores at once; each holds a connection while it writes. */
const mostLanes = 8;
const pollMs = 1000;
const tickMs = 5000;
/** Well below the time after which others take a lane over. */
const renewMs = 3000;

/** Scores what is queued, from this moment on. Any number of processes may do so side by side. */
export function startScorer(options: Options): { stop(): Promise<void> } {
  const { store, now, onError } = options;
  const running = new Map<Lane, Promise<void>>();
  let isStopped = false;
  let ticking: Promise<void> | undefined;
  let renewing: Promise<void> | undefined;
  const { wake, stop: stopLooking } = createCoalescedLoop(take, onError);

  async function take(): Promise<void> {
    const most = mostLanes - running.size;
    if (most <= 0) return;
    for (const lane of await claimLanes(store, most, [...running.keys()])) start(lane);
  }

  /** A lane whose work broke off is taken again when its lease ends, so that a fault of ours does not spin. */
  function start(lane: Lane): void {
    const work = scoreLane(options, lane)
      .then((outcome) => options.scored(lane, outcome))
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
    /** What is under way is finished. */
    async stop() {
      isStopped = true;
      const looked = stopLooking();
      await unlisten();
      await looked;
      await ticking;
      await Promise.all(running.values());
      for (const timer of timers) clearInterval(timer);
      await renewing;
    },
  };
}

import type { Stoppable } from '../lib/createLifecycle.ts';
import { startPoller } from '../lib/startPoller.ts';
import { alertRateKind, type Finding } from '../model/alert.ts';
import { claimRateLanes, isCounting, openRateLanes, type RateLane } from '../store/alerts/rateLanes.ts';
import { pollDue } from '../store/db/pollDue.ts';
import { type CountingOptions, countLane } from './countLane.ts';

type Options = CountingOptions & {
  /** Subscribes to notifications of alert events. */
  listen: (onNotify: () => void) => () => Promise<void>;
  onRaised: (findings: readonly Finding[]) => void;
  onError: (error: unknown) => void;
};

/** Tenants whose alerts this process counts at once. */
const maxLanes = 4;
const pollMs = 1000;
/** Alerts that come one after the other are counted together. */
const pauseMs = 100;
/** Longer than between two looks for detectors that ask for counts. */
const keptMs = 3000;

/** Counts alerts for the detectors that ask for it, until it is stopped. Any number of processes may run it side by side. */
export function startRateCounter(options: Options): Stoppable {
  const { store, onError } = options;
  const running = new Map<RateLane, Promise<void>>();
  let openedAt = -pollMs;
  let resting: NodeJS.Timeout | undefined;

  async function claim(): Promise<void> {
    if (performance.now() - openedAt >= pollMs) {
      await openRateLanes(store, alertRateKind);
      openedAt = performance.now();
    }
    const limit = maxLanes - running.size;
    if (limit <= 0) return;
    for (const lane of await claimRateLanes(store, limit)) start(lane);
  }

  /** A lane whose counting failed is claimed again when its lease ends, so that a bug does not cause a busy loop. */
  function start(lane: RateLane): void {
    const work = countLane(options, lane)
      .then(({ events, raised }) => {
        if (raised.length > 0) options.onRaised(raised);
        if (events > 0) rouse();
      })
      .catch(onError)
      .finally(() => void running.delete(lane));
    running.set(lane, work);
  }

  function rouse(): void {
    resting ??= setTimeout(() => {
      resting = undefined;
      poller.wake();
    }, pauseMs);
  }

  let countingAt = performance.now();
  // Most installations have no such detector, and every alert is announced.
  const unlisten = options.listen(() => {
    if (performance.now() < countingAt + keptMs) rouse();
  });
  const poller = startPoller(claim, {
    whenDue: (wake) =>
      pollDue(
        store,
        () => isCounting(alertRateKind),
        () => {
          countingAt = performance.now();
          wake();
        },
      ),
    onError,
  });
  poller.wake();

  return {
    /** Finishes the lanes under way. */
    async stop() {
      await unlisten();
      clearTimeout(resting);
      await poller.stop();
      await Promise.all(running.values());
      clearTimeout(resting);
    },
  };
}

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Problem } from '../../../model/errors.ts';

/** A connection of its own that asks a server for nothing but an answer. */
export type Probe = {
  /** False if the server does not serve; pending while it is silent. */
  ask(): Promise<boolean>;
  /** Ends the connection until it is needed again. */
  rest(): void;
};

/** A statement that runs on a server. `cut` ends it from this side, when the server has stopped to answer. */
export type ServerUse = {
  readonly since: number;
  cut?: (() => void) | undefined;
  cutBy?: HangWatch | undefined;
};

/** Notices that a server hangs: it takes connections and statements, but answers none. */
export type HangWatch = {
  readonly isSilent: boolean;
  /** What callers get meanwhile. */
  problem(cause?: unknown): Problem;
  add(use: ServerUse): void;
  delete(use: ServerUse): void;
  /** A statement has been answered. */
  noteAnswer(): void;
  /** For statements that another server passes on: false if this one is silent, which takes up to the limit of a probe. */
  answersBehind?(): Promise<boolean>;
  close(): void;
};

/** A probe that gets no answer for `answerMs` shows that the server hangs. */
export type HangOptions = {
  /** A sentence about the server for callers, such as: The database does not answer. */
  words: string;
  probe: Probe;
  answerMs: number;
  /** Another server passes statements on to it, and gives up on them when its own time limit is over. */
  isBehind?: boolean;
  /** A pooler with few connections lets the probe wait for a free one; the server answers as long as it answers statements. */
  isQueued?: boolean | undefined;
  onChange?: (isSilent: boolean) => void;
};

/** Statements this old make the watch ask whether the server answers at all. */
const afterMs = 400;
const tickMs = 200;
/** A process that was busy sees an answer late, so that the limit of a probe is counted in turns of its event loop. */
const turnMs = 100;
/** Pause between probes beside a statement that takes long. */
const pauseMs = 500;
const retryAfterSeconds = 2;

/**
 * Watches the statements of one server, by a timer alone while each is answered soon. A probe without an answer cuts all
 * off. Later ones are refused until a probe is answered.
 */
export function createHangWatch({
  words,
  probe,
  answerMs,
  isBehind = false,
  isQueued = false,
  onChange,
}: HangOptions): HangWatch {
  const uses = new Set<ServerUse>();
  let answeredAt = Number.NEGATIVE_INFINITY;
  let isSilent = false;
  let answers = 0;
  let asking: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function check(): void {
    // A probe on its way must not be taken for one without an answer.
    if (asking) return;
    if (uses.size === 0 && !isSilent) {
      clearInterval(timer);
      timer = undefined;
      probe.rest();
      return;
    }
    const [oldest] = uses;
    const now = performance.now();
    const isLate = oldest !== undefined && now - oldest.since >= afterMs && now - answeredAt >= pauseMs;
    if (isSilent || isLate) void ask();
  }

  function startLooking(): void {
    timer ??= setInterval(check, tickMs).unref();
  }

  function ask(): Promise<boolean> {
    asking ??= answersInTime().then((isAnswered) => {
      asking = undefined;
      if (isAnswered) answeredAt = performance.now();
      note(!isAnswered && !isClosed);
      return isAnswered;
    });
    return asking;
  }

  async function answersInTime(): Promise<boolean> {
    const asked = probe.ask().catch(() => false);
    const before = answers;
    for (let waitedMs = 0; waitedMs < answerMs; waitedMs += turnMs) {
      const answer = await Promise.race([asked, sleep(turnMs, undefined, { ref: false })]);
      if (answer !== undefined) return answer;
      if (isQueued && answers > before) {
        probe.rest();
        return true;
      }
    }
    // What has arrived while the process was busy is read now.
    return Promise.race([asked, nextTurn(false)]);
  }

  function note(isSilentNow: boolean): void {
    if (isSilentNow) probe.rest();
    if (isSilentNow !== isSilent) {
      isSilent = isSilentNow;
      onChange?.(isSilent);
    }
    if (!isSilent) return;
    // Nothing runs there any more that would make it look again.
    startLooking();
    for (const use of uses) {
      use.cutBy ??= watch;
      use.cut?.();
    }
  }

  const watch: HangWatch = {
    get isSilent() {
      return isSilent;
    },
    problem: (cause) => new Problem('unavailable', words, { retryAfterSeconds }, { cause }),
    add(use) {
      uses.add(use);
      startLooking();
    },
    delete: (use) => void uses.delete(use),
    noteAnswer: () => void answers++,
    ...(isBehind && { answersBehind: async () => !isSilent && (await ask()) }),
    close() {
      isClosed = true;
      clearInterval(timer);
      probe.rest();
    },
  };
  return watch;
}

/** Runs a statement on these servers; refused at once while one of them is silent, and cut off when one becomes so. */
export async function runWatched<T>(
  watches: readonly HangWatch[],
  work: (use: ServerUse) => Promise<T>,
): Promise<T> {
  for (const watch of watches) if (watch.isSilent) throw watch.problem();
  const use: ServerUse = { since: performance.now() };
  for (const watch of watches) watch.add(use);
  try {
    const result = await work(use);
    for (const watch of watches) watch.noteAnswer();
    return result;
  } catch (error) {
    if (use.cutBy) throw use.cutBy.problem(error);
    // The server that was asked first gives up on one that hangs behind it, as if the statement were too slow.
    if (isCancelled(error))
      for (const watch of watches) if ((await watch.answersBehind?.()) === false) throw watch.problem(error);
    throw error;
  } finally {
    for (const watch of watches) watch.delete(use);
  }
}

export function isCancelled(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014';
}

import { everything, type Scope } from '../model/principal.ts';
import {
  type AlertEvent,
  firstAlertEvent,
  lastAlertEvent,
  readAlertEvents,
} from '../store/alerts/alertEvents.ts';
import type { Db } from '../store/db.ts';

export type AlertFeed = {
  /** Events after one, or from now on, as they come; `undefined` when nothing has come for a while. */
  follow(wanted: Wanted): AsyncGenerator<AlertEvent | undefined>;
  /** Ends every stream. */
  close(): Promise<void>;
};

type Wanted = {
  scope: Scope;
  matches: (alert: Record<string, unknown>) => boolean;
  after: string | undefined;
  /** Goes on when all that has happened so far is told. */
  isLive: boolean;
};

type Options = {
  db: Db;
  listen: (heard: () => void) => () => Promise<void>;
  onError: (error: unknown) => void;
};

const pageSize = 500;
const heartbeatMs = 15_000;
/** A reader that is this far behind is cut off; it comes back with the id of the last event it saw. */
const mostWaiting = 10_000;

type Reader = { scope: Scope; put(event: AlertEvent): void; end(): void };

/** Reads every event once and hands it to all who follow; without readers it does nothing. */
export function createAlertFeed({ db, listen, onError }: Options): AlertFeed {
  const readers = new Set<Reader>();
  let last = firstAlertEvent;
  let starting: Promise<void> | undefined;
  let running: { stop(): Promise<void> } | undefined;
  let reading: Promise<void> = Promise.resolve();
  /** Whoever begins anew waits until the last reading is through, which would otherwise move the place back. */
  let stopping: Promise<void> = Promise.resolve();
  let followers = 0;
  let isClosed = false;

  function read(): void {
    reading = reading.then(readOn).catch(onError);
  }

  async function readOn(): Promise<void> {
    for (;;) {
      const events = await readAlertEvents(db, everything, { after: last }, pageSize);
      for (const event of events) {
        last = event.id;
        for (const reader of readers)
          if (reader.scope.all || reader.scope.tenantIds.includes(event.tenantId)) reader.put(event);
      }
      if (events.length < pageSize) return;
    }
  }

  /** All who come while it begins wait for the same beginning, and fail with it. */
  async function start(): Promise<void> {
    starting ??= begin();
    const mine = starting;
    try {
      await mine;
    } catch (error) {
      if (starting === mine) starting = undefined;
      throw error;
    }
  }

  async function begin(): Promise<void> {
    await stopping;
    last = await lastAlertEvent(db);
    const unlisten = listen(read);
    // A transaction that was open when it was told of an event is not told of again.
    const timer = setInterval(read, 500).unref();
    running = {
      stop: async () => {
        clearInterval(timer);
        await unlisten();
        await reading;
      },
    };
  }

  async function stop(): Promise<void> {
    const ending = running;
    starting = undefined;
    running = undefined;
    if (ending) stopping = ending.stop();
    await stopping;
  }

  async function* follow({ scope, matches, after, isLive }: Wanted): AsyncGenerator<AlertEvent | undefined> {
    followers++;
    try {
      yield* followOn({ scope, matches, after, isLive });
    } finally {
      // Nobody is left to read for.
      if (--followers === 0) await stop();
    }
  }

  async function* followOn({
    scope,
    matches,
    after,
    isLive,
  }: Wanted): AsyncGenerator<AlertEvent | undefined> {
    await start();
    const queue: AlertEvent[] = [];
    const state = { hasEnded: isClosed };
    let wake: () => void = () => {};
    const reader: Reader = {
      scope,
      put(event) {
        // Nothing may follow what had no place any more: whoever resumes after it would never see that.
        if (state.hasEnded || !event.alert || !matches(event.alert)) return;
        if (queue.length >= mostWaiting) return reader.end();
        queue.push(event);
        wake();
      },
      end() {
        state.hasEnded = true;
        wake();
      },
    };
    const to = last;
    readers.add(reader);
    try {
      yield* backlog(scope, matches, after ?? to, to);
      if (!isLive) return;
      for (;;) {
        for (let event = queue.shift(); event; event = queue.shift()) yield event;
        if (state.hasEnded) return;
        const isSilent = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(resolve, heartbeatMs, true);
          wake = () => {
            clearTimeout(timer);
            resolve(false);
          };
        });
        if (isSilent) yield undefined;
      }
    } finally {
      readers.delete(reader);
    }
  }

  async function* backlog(
    scope: Scope,
    matches: Wanted['matches'],
    from: string,
    to: string,
  ): AsyncGenerator<AlertEvent> {
    for (let after = from; after !== to; ) {
      const events = await readAlertEvents(db, scope, { after, to }, pageSize);
      for (const event of events) if (event.alert && matches(event.alert)) yield event;
      if (events.length < pageSize) return;
      after = events.at(-1)!.id;
    }
  }

  return {
    follow,
    async close() {
      isClosed = true;
      await starting?.catch(() => undefined);
      for (const reader of readers) reader.end();
      await stop();
    },
  };
}

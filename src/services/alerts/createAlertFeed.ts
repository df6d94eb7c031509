import { everything, type Scope } from '../../model/principal.ts';
import { firstAlertEvent, lastAlertEvent, readAlertEvents } from '../../store/alerts/alertEvents.ts';
import type { Db } from '../../store/db.ts';
import {
  createStreamMatching,
  type SharedEvent,
  type StreamQuery,
  shareEvent,
} from './createStreamMatching.ts';
import { createStreamSlots, type StreamSlots } from './createStreamSlots.ts';

export type AlertFeed = {
  /** Events after one, or from now on, as they come; `undefined` when nothing has come for a while. */
  follow(wanted: StreamRequest): AsyncGenerator<SharedEvent | undefined>;
  /** Who may have how many streams open. */
  slots: StreamSlots;
  /** Ends every stream. */
  close(): Promise<void>;
};

type StreamRequest = {
  scope: Scope;
  /** Whose share of the matching it takes. */
  owner: string;
  query: StreamQuery;
  after: string | undefined;
  /** Goes on when all that has happened so far is told. */
  isLive: boolean;
  /** Called when the stream was cut off because its reader is too slow. */
  onOverflow?: () => void;
};

type Options = {
  db: Db;
  listen: (onMessage: () => void) => () => Promise<void>;
  onError: (error: unknown) => void;
};

/** A page ends with the event that passes either. */
const pageSize = 500;
const firstPageSize = 32;
const pageLength = 1_000_000;
const heartbeatMs = 15_000;
/** A reader that is further behind is cut off; it comes back with the id of the last event it saw. */
const waitingEvents = 10_000;
const waitingBytes = 4 * 1024 * 1024;
/** Length of the events that wait to be matched for one owner; beyond it, the owner's readers are cut off. */
const unmatchedLength = 16_000_000;

type Reader = {
  scope: Scope;
  owner: string;
  query: StreamQuery;
  put(event: SharedEvent): void;
  end(isOverflow?: boolean): void;
};

/** Reads every event once and hands it to all who follow; without readers it does nothing. */
export function createAlertFeed({ db, listen, onError }: Options): AlertFeed {
  const readers = new Set<Reader>();
  const matching = createStreamMatching();
  const unmatched = new Map<string, number>();
  let last = firstAlertEvent;
  let starting: Promise<void> | undefined;
  let running: { stop(): Promise<void> } | undefined;
  let reading: Promise<void> = Promise.resolve();
  /** A restart waits for the current read to end, which would otherwise move the position back. */
  let stopping: Promise<void> = Promise.resolve();
  let followers = 0;
  let isClosed = false;

  function read(): void {
    reading = reading.then(readOn).catch(onError);
  }

  async function readOn(): Promise<void> {
    const pages = createPages();
    for (;;) {
      const events = await readAlertEvents(db, everything, { after: last }, pages.size(), pageLength);
      for (const event of events) {
        last = event.id;
        const shared = shareEvent(event);
        if (shared) handOut(shared);
      }
      if (!pages.hasMore(events)) return;
    }
  }

  /** Each owner's readers get it when it is their turn. */
  function handOut(event: SharedEvent): void {
    const byOwner = new Map<string, Reader[]>();
    for (const reader of readers) {
      if (!reader.scope.all && !reader.scope.tenantIds.includes(event.tenantId)) continue;
      const own = byOwner.get(reader.owner);
      if (own) own.push(reader);
      else byOwner.set(reader.owner, [reader]);
    }
    for (const [owner, own] of byOwner) {
      if ((unmatched.get(owner) ?? 0) > unmatchedLength) for (const reader of own) reader.end(true);
      else void matchFor(owner, event, own);
    }
  }

  async function matchFor(owner: string, event: SharedEvent, own: readonly Reader[]): Promise<void> {
    unmatched.set(owner, (unmatched.get(owner) ?? 0) + event.length);
    try {
      await matching.match(owner, event, own);
    } catch (error) {
      onError(error);
      // What could not be matched must not be passed over.
      for (const reader of own) reader.end();
    } finally {
      const left = unmatched.get(owner)! - event.length;
      if (left === 0) unmatched.delete(owner);
      else unmatched.set(owner, left);
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

  async function* follow(wanted: StreamRequest): AsyncGenerator<SharedEvent | undefined> {
    followers++;
    try {
      yield* followOn(wanted);
    } finally {
      // Nobody is left to read for.
      if (--followers === 0) await stop();
    }
  }

  async function* followOn(wanted: StreamRequest): AsyncGenerator<SharedEvent | undefined> {
    const { after, isLive } = wanted;
    await start();
    const queue: SharedEvent[] = [];
    const state = { hasEnded: isClosed, bytes: 0 };
    let wake: () => void = () => {};
    const reader: Reader = {
      ...wanted,
      put(event) {
        // Nothing may follow what had no place any more: whoever resumes after it would never see that.
        if (state.hasEnded) return;
        if (queue.length >= waitingEvents || (queue.length > 0 && state.bytes > waitingBytes))
          return reader.end(true);
        queue.push(event);
        state.bytes += event.frame().length;
        wake();
      },
      end(isOverflow = false) {
        if (isOverflow && !state.hasEnded) wanted.onOverflow?.();
        state.hasEnded = true;
        wake();
      },
    };
    const to = last;
    readers.add(reader);
    try {
      yield* backlog(wanted, after ?? to, to);
      if (!isLive) return;
      for (;;) {
        for (let event = queue.shift(); event; event = queue.shift()) {
          state.bytes -= event.frame().length;
          yield event;
        }
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

  /** Read page by page as the reader takes it, so that it holds no more than one. */
  async function* backlog(
    { scope, owner, query }: StreamRequest,
    from: string,
    to: string,
  ): AsyncGenerator<SharedEvent> {
    const pages = createPages();
    for (let after = from; after !== to; ) {
      const events = await readAlertEvents(db, scope, { after, to }, pages.size(), pageLength);
      for (const event of events) {
        const shared = shareEvent(event);
        if (!shared) continue;
        const found: SharedEvent[] = [];
        await matching.match(owner, shared, [{ query, put: (match) => found.push(match) }]);
        yield* found;
      }
      if (!pages.hasMore(events)) return;
      after = events.at(-1)!.id;
    }
  }

  return {
    follow,
    slots: createStreamSlots(),
    async close() {
      isClosed = true;
      await starting?.catch(() => undefined);
      for (const reader of readers) reader.end();
      await stop();
    },
  };
}

/**
 * How many events are asked for at once. The database writes out every alert that it is asked for before it knows which of
 * them fit into a page, so where alerts are large it is asked for no more than fitted the last time.
 */
function createPages() {
  let size = firstPageSize;
  return {
    size: () => size,
    /** Whether the page may have ended before the last event. */
    hasMore(events: readonly { alert: string | null }[]): boolean {
      const length = events.reduce((sum, { alert }) => sum + (alert?.length ?? 0), 0);
      const isFull = length >= pageLength;
      const hasMore = isFull || events.length >= size;
      size = isFull ? events.length : Math.min(pageSize, size * 2);
      return hasMore;
    },
  };
}

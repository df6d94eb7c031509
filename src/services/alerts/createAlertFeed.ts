import type { Stoppable } from '../../lib/createLifecycle.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { everything, type Scope } from '../../model/principal.ts';
import { firstAlertEvent, lastAlertEvent, readAlertEvents } from '../../store/alerts/alertEvents.ts';
import type { Db } from '../../store/db/db.ts';
import { createReaderQueue } from './createReaderQueue.ts';
import {
  createStreamMatching,
  type SharedEvent,
  type StreamQuery,
  shareEvent,
} from './createStreamMatching.ts';
import { createStreamSlots, type StreamSlots } from './createStreamSlots.ts';

export type AlertFeed = {
  /** Events after one, or from now on, as they happen; `undefined` as a heartbeat. */
  follow(request: StreamRequest): AsyncGenerator<SharedEvent | undefined>;
  /** The streams that are open, by token and tenant. */
  slots: StreamSlots;
  /** Ends every stream. */
  close(): Promise<void>;
};

type StreamRequest = {
  scope: Scope;
  /** Owner of the matching share that it uses. */
  owner: string;
  query: StreamQuery;
  after: string | undefined;
  /** Continues after the events of the past. */
  isLive: boolean;
  /** Called before the first event with the id of the event that it follows. */
  onStart?: (id: string) => void;
  /** Called when the stream ends because its reader is too slow. */
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
/** Length of the events that wait to be matched for one owner; beyond it, the owner's readers are disconnected. */
const unmatchedLength = 16_000_000;

type Reader = {
  scope: Scope;
  owner: string;
  query: StreamQuery;
  put(event: SharedEvent): void;
  end(isOverflow?: boolean): void;
};

/** Reads every event once and passes it to all readers; without readers it reads nothing. */
export function createAlertFeed({ db, listen, onError }: Options): AlertFeed {
  const readers = new Set<Reader>();
  const matching = createStreamMatching();
  const unmatched = new Map<string, number>();
  let last = firstAlertEvent;
  let starting: Promise<void> | undefined;
  let running: Stoppable | undefined;
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
      const unreadable = new Set<number>();
      const range = { after: last };
      const events = await readAlertEvents(db, everything, range, pages.size(), pageLength, unreadable);
      for (const event of events) {
        last = event.id;
        // Their readers resume at it, while those of other tenants go on.
        if (unreadable.has(event.tenantId)) for (const reader of readersOf(event)) reader.end();
        const shared = shareEvent(event);
        if (shared) dispatch(shared);
      }
      if (!pages.hasMore(events)) return;
    }
  }

  function readersOf({ tenantId }: { tenantId: number }): Reader[] {
    return [...readers].filter(({ scope }) => scope.all || scope.tenantIds.includes(tenantId));
  }

  /** The readers of an owner get it when it is the owner's turn. */
  function dispatch(event: SharedEvent): void {
    const byOwner = groupBy(readersOf(event), ({ owner }) => owner);
    for (const [owner, readers] of byOwner) {
      if ((unmatched.get(owner) ?? 0) > unmatchedLength) for (const reader of readers) reader.end(true);
      else void matchFor(owner, event, readers);
    }
  }

  async function matchFor(owner: string, event: SharedEvent, readers: readonly Reader[]): Promise<void> {
    unmatched.set(owner, (unmatched.get(owner) ?? 0) + event.length);
    try {
      await matching.match(owner, event, readers);
    } catch (error) {
      onError(error);
      // An event that could not be matched must not be skipped.
      for (const reader of readers) reader.end();
    } finally {
      const remaining = (unmatched.get(owner) ?? 0) - event.length;
      if (remaining > 0) unmatched.set(owner, remaining);
      else unmatched.delete(owner);
    }
  }

  /** Readers that join during a start wait for the same start, and fail with it. */
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
    // A notification may precede the commit of another event's transaction, which is not notified again.
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

  async function* follow(request: StreamRequest): AsyncGenerator<SharedEvent | undefined> {
    followers++;
    try {
      yield* followOn(request);
    } finally {
      if (--followers === 0) await stop();
    }
  }

  async function* followOn(request: StreamRequest): AsyncGenerator<SharedEvent | undefined> {
    await start();
    const queue = createReaderQueue(isClosed, request.onOverflow);
    const reader: Reader = { ...request, put: queue.put, end: queue.end };
    const to = last;
    const from = request.after ?? to;
    readers.add(reader);
    try {
      request.onStart?.(from);
      yield* backlog(request, from, to);
      if (request.isLive) yield* queue.events();
    } finally {
      readers.delete(reader);
    }
  }

  /** The events of the past, page by page as the reader consumes them. */
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
        const events: SharedEvent[] = [];
        await matching.match(owner, shared, [{ query, put: (match) => events.push(match) }]);
        yield* events;
      }
      if (!pages.hasMore(events)) return;
      after = events.at(-1)?.id ?? to;
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
 * Sizes of pages of events. The database renders every alert of a page before it knows which fit, so after large alerts
 * the next page asks for no more than fitted into the last.
 */
function createPages() {
  let size = firstPageSize;
  return {
    size: () => size,
    /** True if the page may have ended before the last event. */
    hasMore(events: readonly { alert: string | null }[]): boolean {
      const length = events.reduce((sum, { alert }) => sum + (alert?.length ?? 0), 0);
      const isFull = length >= pageLength;
      const hasMore = isFull || events.length >= size;
      size = isFull ? events.length : Math.min(pageSize, size * 2);
      return hasMore;
    },
  };
}

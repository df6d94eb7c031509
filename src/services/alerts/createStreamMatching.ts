import { createFairQueue } from '../../lib/createFairQueue.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { createSubject, type Subject } from '../../query/lucene/createSubject.ts';
import type { AlertEventRow } from '../../store/alerts/alertEvents.ts';
import type { AlertMatcher } from '../../store/search/createAlertMatcher.ts';

/** An event with what is computed once for all readers. */
export type SharedEvent = {
  id: string;
  type: AlertEventRow['type'];
  tenantId: number;
  length: number;
  /** The event as it is sent, so that a large one is encoded once. */
  frame(): Buffer;
  subject(): Subject;
};

export type StreamQuery = {
  /** Readers with the same key share one result. */
  key: string;
  /** Undefined takes every alert. */
  matcher: AlertMatcher | undefined;
};

/** Events of this length are matched in pieces; the rest takes less than a millisecond for any query. */
const largeLength = 50_000;

/** Decides what events match, one query at a time, giving way in between; tenants take turns. */
export function createStreamMatching() {
  const turns = createFairQueue({ slots: 1 });
  return {
    /** Hands the event to those whose query it matches; events of one owner are handed over in their order. */
    match(
      owner: string,
      event: SharedEvent,
      readers: readonly { query: StreamQuery; put(event: SharedEvent): void }[],
    ) {
      return turns.run(owner, async () => {
        const results = new Map<string, boolean>();
        for (const { query, put } of readers) {
          const { key, matcher } = query;
          const isMatch = matcher === undefined || (results.get(key) ?? (await isMatching(matcher, event)));
          results.set(key, isMatch);
          if (isMatch) put(event);
        }
      });
    },
  };
}

async function isMatching({ matches, matchesPaced }: AlertMatcher, event: SharedEvent): Promise<boolean> {
  await yieldToEventLoop();
  const subject = event.subject();
  return event.length < largeLength ? matches(subject) : matchesPaced(subject, yieldToEventLoop);
}

/** Undefined when retention has removed the alert meanwhile. */
export function shareEvent({ id, type, tenantId, alert }: AlertEventRow): SharedEvent | undefined {
  if (alert === null) return undefined;
  let frame: Buffer | undefined;
  let subject: Subject | undefined;
  return {
    id,
    type,
    tenantId,
    length: alert.length,
    frame: () => (frame ??= Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${alert}\n\n`)),
    subject: () => (subject ??= createSubject(JSON.parse(alert))),
  };
}

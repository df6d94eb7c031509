import { Type } from 'typebox';
import { Shape, Text } from '../../../model/schema.ts';
import type { SharedEvent, StreamQuery } from '../../../services/alerts/createStreamMatching.ts';
import { findPlan } from '../../../store/accounts/plans.ts';
import { createAlertMatcher } from '../../../store/search/createAlertMatcher.ts';
import { refuseQueryMistake } from '../../../store/search/findQueryMistake.ts';
import { accessOf } from '../../http/access.ts';
import { createScopeWatch } from '../../http/createScopeWatch.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const idPattern = '^\\d{1,19}-\\d{1,18}(-\\d{1,9})?$';

const route = { method: 'GET', path: '/alert/stream' } as const;

export function alertStreamEndpoint(): Endpoint {
  const watch = createScopeWatch(accessOf(route));
  return endpoint({
    ...route,
    tag: 'Alerts',
    summary: 'Follow alerts as they happen',
    description:
      'Server-sent events `raised`, `retracted`, `resolved` and `changed` (tags, assignee, comments, open again); `data` is the ' +
      'alert as `GET /alert/{uid}` shows it. The first thing sent is the id to resume from when nothing follows. ' +
      'After a broken connection `Last-Event-ID` (or `after`) takes up where it ended, for seven days. ' +
      'A comment comes every 15 seconds when there is nothing to report. A token may have 10 streams open, a tenant as many ' +
      'as `maxStreams` of its plan says. A reader that lets more than 4 MiB wait is cut off and can resume.',
    query: Shape(
      {
        query: Text(
          'Only alerts that match this query string. A member or value that does not exist is refused.',
          'severity:HIGH',
          { max: 4000 },
        ),
        after: Type.String({
          description: 'Id of the last event that was seen; the header `Last-Event-ID` outranks it.',
          pattern: idPattern,
          examples: ['7421-42'],
        }),
        live: Type.Unsafe<'true' | 'false'>({
          type: 'string',
          enum: ['true', 'false'],
          description: 'false ends the answer after the events that have happened so far.',
          examples: ['true'],
        }),
      },
      [],
    ),
    reply: Text(
      'The events.',
      'id: 7421-42\nevent: raised\ndata: {"uid":"01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071"}\n\n',
      {
        max: 1_000_000,
      },
    ),
    isStream: true,
    effect: 'read',
    problems: ['invalid-query', 'plan-limit'],
    handle: async (call, { query, headers }) => {
      const { alertFeed } = call.services;
      const streamQuery = toStreamQuery(query.query ?? '', call.now);
      const { lastEventId } = headers;
      const isKnown = lastEventId !== undefined && new RegExp(idPattern).test(lastEventId);
      const { tenantId } = call.principal;
      const limit =
        tenantId === null
          ? Number.POSITIVE_INFINITY
          : (await findPlan(call.db, tenantId, call.now)).maxStreams;
      const onEnd = alertFeed.slots.take(call.principal, limit);
      const overflow = new AbortController();
      let onStart: (id: string) => void = () => {};
      const started = new Promise<string>((resolve) => {
        onStart = resolve;
      });
      const events = alertFeed.follow({
        scope: call.scope,
        owner: `tenant ${tenantId}`,
        query: streamQuery,
        after: isKnown ? lastEventId : query.after,
        isLive: query.live !== 'false',
        onStart,
        onOverflow: () => overflow.abort(),
      });
      return {
        body: '',
        stream: { pieces: toPieces(events, started, (end) => watch(call, end)), cut: overflow.signal, onEnd },
      };
    },
  });
}

/** Readers with one text share its results, unless it speaks of the time at which the stream was opened. */
function toStreamQuery(text: string, now: number): StreamQuery {
  if (text.trim() === '') return { key: '', matcher: undefined };
  const matcher = createAlertMatcher(text, now);
  refuseQueryMistake(text);
  return { key: /now/i.test(text) ? `${now} ${text}` : text, matcher };
}

const heartbeat = Buffer.from(': alive\n\n');
const over = { done: true, value: undefined } as const;

/** Ends with the events, or when it is aborted. */
async function* toPieces(
  events: AsyncGenerator<SharedEvent | undefined>,
  started: Promise<string>,
  watch: (end: () => void) => () => void,
): AsyncGenerator<Buffer> {
  const state = { isOver: false };
  let wake = () => {};
  const unwatch = watch(() => {
    state.isOver = true;
    wake();
  });
  const settle = (next: Promise<IteratorResult<SharedEvent | undefined>>) =>
    new Promise<IteratorResult<SharedEvent | undefined>>((resolve, reject) => {
      wake = () => resolve(over);
      next.then(resolve, reject);
    });
  try {
    let next = events.next();
    // Read again below; a failure in between is not lost.
    next.catch(() => undefined);
    const id = await Promise.race([started, next.then(() => started)]);
    yield Buffer.from(`: connected\nid: ${id}\n\n`);
    while (!state.isOver) {
      const { done, value: event } = await settle(next);
      if (done || state.isOver) return;
      yield event ? event.frame() : heartbeat;
      next = events.next();
    }
  } finally {
    unwatch();
    const ended = events.return(undefined);
    // A pending wait ends with the next event or heartbeat, which the reader need not wait for.
    if (state.isOver) ended.catch(() => undefined);
    else await ended;
  }
}

import { Type } from 'typebox';
import { createSubject } from '../../query/lucene/subject.ts';
import type { AlertEvent } from '../../store/alerts/alertEvents.ts';
import { createAlertMatcher } from '../../store/alerts/alertMatcher.ts';
import { isTokenLive } from '../../store/tokens.ts';
import { endpoint } from '../endpoint.ts';
import { Shape, Text } from '../schema.ts';

const checkEveryMs = 1000;
const idPattern = '^\\d{1,19}-\\d{1,18}$';

export const alertStream = endpoint({
  method: 'GET',
  path: '/alert/stream',
  tag: 'Alerts',
  summary: 'Follow alerts as they happen',
  description:
    'Server-sent events `raised`, `retracted` and `resolved`; `data` is the alert as `GET /alert/{uid}` shows it. ' +
    'After a broken connection `Last-Event-ID` (or `after`) takes up where it ended, for seven days. ' +
    'A comment comes every 15 seconds when there is nothing to tell.',
  query: Shape(
    {
      query: Text('Only alerts that match this query string.', 'severity:HIGH', { max: 4000 }),
      after: Type.String({
        description: 'Id of the last event that was seen; the header `Last-Event-ID` outranks it.',
        pattern: idPattern,
        examples: ['7421-42'],
      }),
      live: Type.Unsafe<'true' | 'false'>({
        type: 'string',
        enum: ['true', 'false'],
        description: 'false ends the answer when all that has happened so far is told.',
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
  problems: ['invalid-query'],
  handle: async (call, { query, headers }) => {
    const matches = createAlertMatcher(query.query ?? '', call.now);
    const { lastEventId } = headers;
    const isKnown = lastEventId !== undefined && new RegExp(idPattern).test(lastEventId);
    const events = call.services.alertFeed.follow({
      scope: call.scope,
      matches: (alert) => matches(createSubject(alert)),
      after: isKnown ? lastEventId : query.after,
      isLive: query.live !== 'false',
    });
    const { store, now } = call.services;
    return { body: '', stream: toText(events, () => isTokenLive(store, call.principal.tokenId, now())) };
  },
});

/** A token that is revoked ends its stream, at the latest with the next event or heartbeat. */
async function* toText(
  events: AsyncGenerator<AlertEvent | undefined>,
  isAllowed: () => Promise<boolean>,
): AsyncGenerator<string> {
  let checkedAt = performance.now();
  yield ': connected\n\n';
  for await (const event of events) {
    if (performance.now() - checkedAt > checkEveryMs) {
      if (!(await isAllowed())) return;
      checkedAt = performance.now();
    }
    yield event
      ? `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event.alert)}\n\n`
      : ': alive\n\n';
  }
}

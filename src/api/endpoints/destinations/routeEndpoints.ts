import { Type } from 'typebox';
import { keysOf } from '../../../lib/keysOf.ts';
import { destinationTypes, severities } from '../../../model/enumerations.ts';
import { Flag, Id, JsonObject, List, Millis, nullable, OneOf, Shape, Text } from '../../../model/schema.ts';
import { type RouteTrial, tryRoutes } from '../../../services/destinations/tryRoutes.ts';
import { withheldReasons } from '../../../services/destinations/withheldReasons.ts';
import { tenantId } from '../../../store/tables/commonFields.ts';
import { routeTable } from '../../../store/tables/routeTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { wholeAlert } from '../alerts/alertSchemas.ts';

const uid = Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', {
  max: 36,
  pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
});
const { groupBy, waitSeconds, intervalSeconds, repeatSeconds } = routeTable.fields;
const whole = (members: Parameters<typeof Shape>[0], description?: string) =>
  Shape(members, Object.keys(members), description);
const why = Text('The reason for people.', withheldReasons.muted);
const code = OneOf(keysOf(withheldReasons), 'The reason as a word.', 'muted');

const tried = whole({
  alert: whole(
    {
      uid: nullable(uid),
      name: nullable(Text('Its name.', 'Large transfer')),
      severity: OneOf(severities, 'Its severity.', 'HIGH'),
      contractId: Type.Integer({ description: 'Its contract; 0 where none was given.', examples: [1] }),
      timestamp: Millis('When it happened.'),
    },
    'The alert.',
  ),
  code: nullable({ ...code, description: 'Why no one would be notified; null if someone would.' }),
  reason: nullable(why),
  silences: List(
    whole({ id: Id('The silence.'), reason: Text('Its reason.', 'Planned maintenance.') }),
    'The silences that would hold it.',
  ),
  inhibitions: List(
    whole({ id: Id('The inhibition.'), name: Text('Its name.', 'A drain explains the rest') }),
    'The inhibitions that would hold it.',
  ),
  steps: List(
    whole({
      routeId: Id('The route.'),
      name: Text('Its name.', 'Treasury'),
      step: OneOf(
        ['taken', 'passed-down', 'inactive', 'not-found'],
        'taken: it stays there. passed-down: a route below takes it. inactive: outside of its time set. not-found: its query does ' +
          'not find the alert.',
        'taken',
      ),
    }),
    'The routes that were asked, in their turn.',
  ),
  routes: List(
    whole({
      id: Id('The route.'),
      name: Text('Its name.', 'Treasury at night'),
      path: List(Text('A name.', 'Treasury'), 'The names from the root down to it.'),
      held: nullable({ ...code, description: 'Why it would notify no one; null if it would.' }),
      reason: nullable(why),
      destinations: List(
        whole({
          id: Id('The destination.'),
          type: OneOf(destinationTypes, 'Its kind.', 'HTTP'),
          name: nullable(Text('What people call it.', 'Night shift')),
        }),
        'Whom it would notify.',
      ),
      groupBy: groupBy.schema,
      waitSeconds: waitSeconds.schema,
      intervalSeconds: nullable(intervalSeconds.schema),
      repeatSeconds: nullable(repeatSeconds.schema),
    }),
    'The routes that would take it.',
  ),
});

export const routeEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/route/try',
    tag: 'Routes',
    summary: 'Try the routes',
    description:
      'Says what would happen to an alert and why, without changing or sending anything: an alert of the store, one that the body ' +
      'describes, or the newest 20 of the last seven days, all or those that a query finds. Routes that are not on yet are tried as if they were.',
    body: Type.Unsafe<RouteTrial>(
      Shape(
        {
          tenantId,
          alertUid: uid,
          alert: JsonObject(
            'An alert by its members; `severity` is MEDIUM and `kind` detector where they are left out.',
            { severity: 'HIGH', tags: ['treasury'] },
          ),
          query: Text('The alerts that are tried.', 'tags:treasury', { max: 10_000, pattern: '\\S' }),
          at: Millis('As if it were then; now if left out.'),
        },
        [],
      ),
    ),
    example: { tenantId: 1, alert: { severity: 'HIGH', tags: ['treasury'] } },
    reply: Shape(
      {
        isOn: Flag('Whether routes are on, and not the bindings.'),
        hasRoutes: Flag('Whether there is a tree at all.'),
        at: Millis('The moment that was tried.'),
        data: List(tried, 'What would happen to each alert.'),
      },
      ['isOn', 'hasRoutes', 'at', 'data'],
    ),
    effect: 'read',
    mayLackBody: true,
    isReport: true,
    problems: ['not-found', 'unprocessable', 'invalid-query'],
    handle: async (call, { body }) => ({ body: await tryRoutes(call, body, wholeAlert.names) }),
  }),
];

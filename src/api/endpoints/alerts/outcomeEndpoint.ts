import { keysOf } from '../../../lib/keysOf.ts';
import { destinationTypes } from '../../../model/enumerations.ts';
import { Id, List, Millis, nullable, OneOf, Shape, Text } from '../../../model/schema.ts';
import { readOutcome, unseenStates } from '../../../services/alerts/readOutcome.ts';
import { withheldReasons } from '../../../services/destinations/withheldReasons.ts';
import { incidentTable } from '../../../store/alerts/incidentTable.ts';
import { replySchema } from '../../../store/tables/fields.ts';
import { endpoint } from '../../http/endpoint.ts';
import { intent } from '../actions/actionEndpoints.ts';
import { escalation } from '../onCall/escalationEndpoints.ts';
import { delivery } from '../records/deliverySchemas.ts';

const alertDelivery = {
  ...delivery,
  destinationName: nullable(
    Text('The destination as people know it; null where it has no address.', 'https://example.com/hook'),
  ),
  destinationType: nullable(OneOf(destinationTypes, 'Kind of the destination.', 'HTTP')),
};
const alertIntent = {
  ...intent,
  actionName: Text('Name of the action.', 'Pause'),
  chainUid: Text('The chain that it runs on.', 'ethereum'),
};
const holder = {
  id: Id('The silence.'),
  reason: Text('Its reason.', 'Planned maintenance of the oracle.'),
  author: Text('How people know who made it.', 'alice@example.com'),
  from: Millis('From when on it holds.'),
  to: Millis('Until when.'),
};
const silence = {
  code: OneOf(keysOf(withheldReasons), 'The reason as a word.', 'suppressed'),
  reason: Text('The reason for people, and what would change it.', withheldReasons.suppressed),
  silences: List(
    Shape(holder, Object.keys(holder)),
    'The silences that held it when it was raised; empty unless the reason is `silenced`.',
  ),
};

const takenRoute = {
  id: Id('The route.'),
  name: Text('Its name.', 'Treasury at night'),
  held: nullable(OneOf(keysOf(withheldReasons), 'Why it notified no one; null where it did.', 'muted')),
  destinationIds: List(
    Id('A destination.'),
    'Whom it notified, or would have if nothing else had held the alert. Those of an earlier route are left out.',
  ),
};
const decision = {
  at: Millis('When it was decided.'),
  routes: List(
    Shape(takenRoute, Object.keys(takenRoute)),
    'The routes that took it; empty where routes were off.',
  ),
  inhibitions: List(
    Shape({ id: Id('The inhibition.'), name: Text('Its name.', 'A drain explains the rest') }, [
      'id',
      'name',
    ]),
    'The inhibitions that held it.',
  ),
};

const unseen = {
  state: OneOf(
    unseenStates,
    'Whether the traces of its block are yet to come, were given up, or no node gives any.',
    'waiting',
  ),
  reason: Text('Why.', 'Nodes did not give the traces of blocks.'),
};

export const outcomeEndpoint = endpoint({
  method: 'GET',
  path: '/alert/{uid}/outcome',
  tag: 'Alerts',
  summary: 'Read what followed from an alert',
  description:
    'What to do next, who was notified and whether it arrived, which actions it fired and how far they are, or why neither happened, and its ' +
    'incident. Only the tenant that owns the alert can read it. Why it was silenced is what was decided when it was raised; the other reasons follow the bindings as they are now.',
  params: Shape({ uid: Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 }) }, ['uid']),
  reply: Shape(
    {
      incident: nullable({
        ...replySchema(incidentTable.fields),
        description: 'The incident that it belongs to.',
      }),
      nextStep: nullable(
        Text(
          'What to do next, in the words of its detector or trigger, or else as the kind of its detector knows; null where neither says anything.',
          'Check with the owners whether the transfer was planned.',
        ),
      ),
      runbookUrl: nullable(
        Text(
          'Address of the page that says what to do, of its detector or trigger.',
          'https://wiki.example.com/runbooks/vault',
        ),
      ),
      silence: nullable(
        Shape(
          silence,
          Object.keys(silence),
          'Why no one was notified; null when someone was or is about to be.',
        ),
      ),
      decision: nullable(
        Shape(
          decision,
          Object.keys(decision),
          'What routes and rules decided when it was raised; null where none had a say.',
        ),
      ),
      unseen: nullable(
        Shape(
          unseen,
          Object.keys(unseen),
          'Why what contracts did within the transactions of its block is not seen, so that there may be more than this alert; null when nothing is known to be missing.',
        ),
      ),
      escalations: List(escalation, 'Who was called about its incident, the newest chain first.'),
      deliveries: List(Shape(alertDelivery, Object.keys(alertDelivery)), 'What was sent, newest first.'),
      intents: List(Shape(alertIntent, Object.keys(alertIntent)), 'What it fired, newest first.'),
    },
    [
      'incident',
      'nextStep',
      'runbookUrl',
      'silence',
      'decision',
      'unseen',
      'escalations',
      'deliveries',
      'intents',
    ],
  ),
  effect: 'read',
  problems: ['not-found'],
  handle: async (call, { params }) => ({ body: await readOutcome(call, params.uid) }),
});

import { type TSchema, Type } from 'typebox';
import { Count, Id, List, Millis, nullable, OneOf, Shape, Text } from '../../../model/schema.ts';
import { escalateIncident, readEscalations } from '../../../services/onCall/escalate.ts';
import { escalationStates } from '../../../store/onCall/escalations.ts';
import { stepKinds, stepOutcomes } from '../../../store/onCall/steps.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const tag = 'On call';
const whole = (members: Record<string, TSchema>) => Shape(members, Object.keys(members));
const delivery = whole({
  uid: Text('The message.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
  destinationId: Id('The destination.'),
  state: OneOf(['PENDING', 'DELIVERED', 'DEAD', 'CANCELED'], 'What became of it.', 'DELIVERED'),
  attempts: Count('How often it was tried.', 1),
});
const step = whole({
  number: Count('The step, counted from 0 over all rounds.', 0),
  round: Count('The round, from 0.', 0),
  at: Millis('When it was made.'),
  kind: OneOf(stepKinds, 'What it calls.', 'schedule'),
  targetId: Id('The user, schedule or destination.'),
  name: Text('Who was called, as people know it.', 'Alice (Treasury)'),
  userId: nullable(Id('The user who was called; null for a destination, and where there was no one.')),
  outcome: OneOf(
    stepOutcomes,
    'CALLED: messages went out. NOBODY: no one could be called. FAILED: the first attempts of all of them failed.',
    'CALLED',
  ),
  detail: nullable(Text('Why no one could be called, or what failed.', 'No one is on call at this time.')),
  deliveries: List(delivery, 'Its messages.'),
});
/** A chain that ran, as its endpoints and the outcome of an alert show it. */
export const escalation = whole({
  id: Id('Which one.'),
  incidentUid: Text('The incident.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
  escalationChainId: Id('The escalation chain.'),
  chainName: Text('Its name.', 'Treasury'),
  state: OneOf(
    escalationStates,
    'RUNNING, how it was answered, or EXHAUSTED where every step was made and no one answered.',
    'RUNNING',
  ),
  startedAt: Millis('When it began.'),
  startedBy: Text('Who began it: a person, or a route.', 'Alice'),
  endedAt: nullable(Millis('When it ended.')),
  nextAt: nullable(Millis('When its next step is due; null when it has ended.')),
  steps: List(step, 'Its steps so far.'),
});
const reply = Shape(
  { escalations: List(escalation, 'The chains that ran, the newest first, at most 100.') },
  ['escalations'],
);
const params = Shape({ uid: Text('The incident.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 }) }, [
  'uid',
]);

/** Chains that run for incidents. */
export const escalationEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/incident/{uid}/escalate',
    tag,
    summary: 'Call people about an incident',
    description:
      'Runs an escalation chain until someone acknowledges or resolves the incident. Refused where it is answered, or the chain already runs for it.',
    params,
    body: Type.Unsafe<{ escalationChainId: number }>(
      Shape({ escalationChainId: Id('The escalation chain.') }, ['escalationChainId']),
    ),
    reply,
    effect: 'change',
    problems: ['not-found', 'illegal-transition', 'conflict', 'unprocessable'],
    handle: async (call, { params, body }) => ({
      body: { escalations: await escalateIncident(call, params.uid, body.escalationChainId) },
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/incident/{uid}/escalation',
    tag,
    summary: 'Read who was called about an incident',
    params,
    reply,
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: { escalations: await readEscalations(call, params.uid) } }),
  }),
];

import { severities } from '../../../model/enumerations.ts';
import { Count, Millis, OneOf, Shape, Text } from '../../../model/schema.ts';
import { linkActions } from '../../../services/alerts/linkCode.ts';
import { showLink, useLink } from '../../../services/alerts/useLink.ts';
import { incidentStatuses } from '../../../store/alerts/incidentTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const path = '/link/{code}';
const tag = 'Alerts';
const params = Shape({ code: Text('The code of the link.', '1.3.7.acknowledge.alert.…', { max: 300 }) }, [
  'code',
]);
const view = {
  action: OneOf(linkActions, 'What the link does.', 'acknowledge'),
  subject: OneOf(['alert', 'incident'], 'To what.', 'incident'),
  uid: Text('Its identifier.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
  expiresAt: Millis('Until when the link works.'),
  sentTo: Text('The destination that it was sent to.', 'alice@example.com'),
  tenant: Text('Whose alert it is.', 'Example'),
  severity: OneOf(severities, 'How bad it is.', 'HIGH'),
  name: Text('Name of the alert, or of the worst one of the incident.', 'Ownership changed'),
  message: Text('Its message.', 'The owner is now 0xf39F…2266.'),
  status: OneOf(incidentStatuses, 'Its status.', 'UNRESOLVED'),
  alerts: Count('How many alerts the incident has.', 1),
};
const reply = Shape(view, Object.keys(view));

/** Behind the links of notifications; a link stands for a token. */
export const linkEndpoints: Endpoint[] = [
  endpoint({
    method: 'GET',
    path,
    tag,
    summary: 'Read what a link of a notification does',
    description: 'Changes nothing, because programs that check mail open every link in it.',
    params,
    reply,
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: await showLink(call, params.code) }),
  }),
  endpoint({
    method: 'POST',
    path,
    tag,
    summary: 'Use a link of a notification',
    description:
      'Acknowledges or resolves the alert or incident, gives it to the user who was called, silences what raised it for an hour, or halts the actions of the tenant, in the name of the user or destination that the link was sent to. Works once, for seven days, as long as the destination exists.',
    params,
    reply,
    effect: 'change',
    problems: ['not-found', 'illegal-transition', 'plan-limit'],
    handle: async (call, { params }) => ({ body: await useLink(call, params.code) }),
  }),
];

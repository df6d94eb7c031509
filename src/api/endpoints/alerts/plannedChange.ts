import { Count, Flag, Id, List, Millis, Shape, Text } from '../../../model/schema.ts';
import {
  cancelPlannedChange,
  confirmPlannedChange,
  listJudged,
} from '../../../services/alerts/decidePlannedChange.ts';
import { preparePlannedChange } from '../../../services/alerts/preparePlannedChange.ts';
import { contractTable } from '../../../store/tables/contractTable.ts';
import { replySchema } from '../../../store/tables/fields.ts';
import { plannedChangeTable } from '../../../store/tables/plannedChangeTable.ts';
import { accessOf, isEnough } from '../../http/access.ts';
import { defineResource } from '../../http/defineResource.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const tag = 'Planned changes';

export const plannedChange = defineResource({
  path: '/plannedchange',
  tag,
  about:
    'A change of a contract that is announced: by whom, within which window, and the alerts that it will raise with the values ' +
    'that they must have. An alert that matches to the byte becomes INFO. One of an expected kind that differs in anything ' +
    'becomes CRITICAL and says how. A change that did not happen raises an alert when its window ends. It applies to alerts ' +
    'of blocks after it was made, or confirmed by a second person where `needsConfirmation` is true or a wallet of the ' +
    'tenant asks for approvals. It cannot be altered: cancel it and make another one.',
  table: plannedChangeTable,
  owner: { member: 'contractId', table: contractTable, use: 'write' },
  limit: 'maxPlannedChanges',
  without: ['update', 'delete'],
  prepare: preparePlannedChange,
});

const params = Shape({ id: Id('The planned change.') }, ['id']);
const reply = replySchema(plannedChangeTable.fields);
const problems = ['not-found', 'conflict'] as const;
const confirm = { method: 'POST', path: '/plannedchange/{id}/confirm' } as const;
const judged = {
  uid: Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
  timestamp: Millis('When it happened.'),
  expectation: Count('Index of the expectation in `expected`.', 0),
  isMatch: Flag('Whether it is what was planned.'),
};

export const plannedChangeEndpoints: readonly Endpoint[] = [
  endpoint({
    ...confirm,
    tag,
    summary: 'Confirm a planned change',
    description:
      'By another user of the tenant than the one who made it, judged as for approvals: refused where one person may be both.',
    params,
    reply,
    effect: 'change',
    problems,
    handle: async (call, { params: { id } }) => {
      const access = accessOf(confirm);
      const isAllowed = (role: Parameters<typeof isEnough>[1]) =>
        access !== 'public' && isEnough(access, role);
      return { body: await confirmPlannedChange(call, plannedChange.kind, id, isAllowed) };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/plannedchange/{id}/cancel',
    tag,
    summary: 'Cancel a planned change',
    description: 'Alerts are judged without it from then on. Possible until its window has ended.',
    params,
    reply,
    effect: 'change',
    problems,
    handle: async (call, { params: { id } }) => ({
      body: await cancelPlannedChange(call, plannedChange.kind, id),
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/plannedchange/{id}/alert',
    tag,
    summary: 'List the alerts that a planned change has judged',
    description: 'The newest 1,000, without those that were retracted.',
    params,
    reply: Shape({ data: List(Shape(judged, Object.keys(judged)), 'The alerts.') }, ['data']),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params: { id } }) => ({
      body: { data: await listJudged(call, plannedChange.kind, id) },
    }),
  }),
];

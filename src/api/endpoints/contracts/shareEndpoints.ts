import { Id, List, OneOf, Shape, Text } from '../../../model/schema.ts';
import { listShares, respondToShare } from '../../../services/contracts/shares.ts';
import { shareStatuses } from '../../../store/contracts/shares.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const tag = 'Shares';
const members = {
  projectId: Id('The project.'),
  name: Text('Name of the project.', 'Vault'),
  ownerTenantId: Id('The tenant that shares it.'),
  ownerName: Text('Name of that tenant.', 'Acme'),
  status: OneOf(shareStatuses, 'Whether your tenant has accepted.', 'OFFERED'),
};
const share = Shape(members, Object.keys(members));
const tenantId = Id('The tenant that the project is shared with; your own if left out.');
const params = Shape({ projectId: Id('The project.') }, ['projectId']);
const problems = ['not-found', 'unprocessable'] as const;

const list = endpoint({
  method: 'GET',
  path: '/share',
  tag,
  summary: 'List the projects that others share with you',
  description:
    'A tenant shares a project by naming yours in `viewTenantIds`. It is seen once it is accepted, and until it is left or no ' +
    'longer offered. Viewers see the project, its contracts and their alerts, without the member `private` of `meta` and ' +
    '`params` and without the other tenants that it is shared with.',
  query: Shape({ tenantId }, []),
  reply: Shape({ data: List(share, 'Shares, newest first.') }, ['data']),
  effect: 'read',
  problems: ['unprocessable'],
  handle: async (call, { query }) => ({ body: { data: await listShares(call, query.tenantId) } }),
});

const accept = endpoint({
  method: 'POST',
  path: '/share/{projectId}/accept',
  tag,
  summary: 'Accept a shared project',
  params,
  body: Shape({ tenantId }, []),
  mayLackBody: true,
  reply: share,
  effect: 'change',
  problems,
  handle: async (call, { params, body }) => ({
    body: await respondToShare(call, { ...params, ...body }, 'ACCEPTED'),
  }),
});

const decline = endpoint({
  method: 'DELETE',
  path: '/share/{projectId}',
  tag,
  summary: 'Decline or leave a shared project',
  description: 'The owner sees no difference; as long as it is offered, it can be accepted again.',
  params,
  query: Shape({ tenantId }, []),
  reply: share,
  effect: 'stop',
  problems,
  handle: async (call, { params, query }) => ({
    body: await respondToShare(call, { ...params, ...query }, 'DECLINED'),
  }),
});

export const shareEndpoints: Endpoint[] = [list, accept, decline];

import { approvalTable } from '../../../store/actions/approvalTable.ts';
import { output } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Id, JsonObject, Millis, OneOf, Text } from '../../http/schema.ts';
import { idField, tenantId, timeFields } from '../records/common.ts';

const always = { always: true } as const;

export const approval = defineResource({
  path: '/approval',
  tag: 'Approvals',
  noun: 'approval',
  about: 'A request that waits for a second user, because the wallet that it touches asks for one.',
  table: approvalTable,
  owner: 'tenant',
  without: ['create', 'update', 'delete'],
  fields: {
    id: idField,
    ...timeFields,
    tenantId: output(tenantId, always),
    state: output(
      OneOf(['PENDING', 'APPROVED', 'REJECTED', 'EXPIRED'], 'What became of the request.', 'PENDING'),
      always,
    ),
    expiresAt: output(Millis('Until when it can be approved.'), always),
    walletId: output(Id('The wallet that asks for the approval.'), always),
    method: output(Text('Method of the request.', 'PUT'), always),
    path: output(Text('Path of the request, below /api/v1.', '/action/{id}'), always),
    recordId: output(Id('The `{id}` in the path.')),
    body: output(
      JsonObject('Body of the request; of a detector only the member `actions`.', { gasPrice: 'fast' }),
    ),
    requestedBy: output(Id('The user who sent the request; null for a token without a user.')),
    decidedBy: output(Id('The user who approved or rejected it.')),
  },
});

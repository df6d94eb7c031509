import { Type } from 'typebox';
import { Id, JsonObject, List, Millis, nullable, OneOf, Shape, Text } from '../../model/schema.ts';
import { idField, tenantId, timeFields } from './commonFields.ts';
import { readOnly } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

/** A pending request past its expiry reads as EXPIRED, also before it is marked so. */
const state = (t: string) => `case
  when ${t}.state = 'PENDING' and ${t}.expires_at <= extract(epoch from clock_timestamp()) * 1000
  then 'EXPIRED' else ${t}.state end`;

/** Of any type, as the member has it. */
const anyType = ['string', 'number', 'boolean', 'object', 'array', 'null'];
const value = (description: string, example: unknown) =>
  Type.Unsafe({ type: anyType, items: {}, description, examples: [example] });
const change = {
  change: OneOf(['ADDED', 'CHANGED', 'REMOVED'], 'What becomes of the record.', 'CHANGED'),
  kind: Text('The kind of the record.', 'detector'),
  id: nullable(Id('The record; null of one that the request creates.')),
  name: nullable(Text('Its name.', 'Owner watch')),
  members: List(
    Shape(
      {
        name: Text('The member.', 'status'),
        before: value('Its value now; null if it has none. Secrets show as `[sealed]`.', 'ACTIVE'),
        after: value('Its value once the request is carried out.', 'DISABLED'),
      },
      ['name', 'before', 'after'],
    ),
    'What differs.',
  ),
};

export const approvalTable = defineTable({
  kind: 'approval',
  name: 'approval',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: readOnly(tenantId, { notNull: true }),
    state: readOnly(
      OneOf(['PENDING', 'APPROVED', 'REJECTED', 'EXPIRED'], 'Outcome of the request.', 'PENDING'),
      { notNull: true, as: state },
    ),
    expiresAt: readOnly(Millis('Until when it can be approved.'), { notNull: true }),
    walletId: readOnly(Id('The wallet that asks for the approval.'), { notNull: true }),
    method: readOnly(Text('Method of the request.', 'PUT'), { notNull: true }),
    path: readOnly(Text('Path of the request, below /api/v1.', '/action/{id}'), { notNull: true }),
    recordId: readOnly(Id('The `{id}` in the path.')),
    body: readOnly(
      JsonObject(
        'Body of the request; of a detector only the member `actions`, of a batch the number of its records.',
        { gasPrice: 'fast' },
      ),
    ),
    changes: readOnly(
      List(
        Shape(change, Object.keys(change)),
        'Everything on which it depends what the wallet signs, and when, as far as the request changes it.',
      ),
    ),
    requestedBy: readOnly(Id('The user who sent the request; null for a token without a user.')),
    decidedBy: readOnly(Id('The user who approved or rejected it.')),
  },
  hidden: { sealedRequest: 'bytes' },
  visible: byTenant,
  writable: byTenant,
});

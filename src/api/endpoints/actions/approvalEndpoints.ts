import { Id, JsonObject, Shape } from '../../../model/schema.ts';
import {
  checkApprover,
  closeApproval,
  openApproval,
  openRequest,
} from '../../../services/actions/approvals.ts';
import type { StoredApproval } from '../../../store/actions/approvals.ts';
import { approvalTable } from '../../../store/actions/approvalTable.ts';
import { replySchema } from '../../../store/fields.ts';
import { accessOf } from '../../http/access.ts';
import { authorize } from '../../http/authorize.ts';
import { type Endpoint, endpoint, type Input } from '../../http/endpoint.ts';

const tag = 'Approvals';
const params = Shape({ id: Id('The approval.') }, ['id']);
const reply = replySchema(approvalTable.fields, [], 'The approval.');

/** Deciding on requests that wait for a second user; `endpoints` are those that can be held. */
export function approvalEndpoints(endpoints: readonly Endpoint[]): Endpoint[] {
  function endpointOf({ method, path }: StoredApproval): Endpoint {
    const found = endpoints.find((one) => one.method === method && one.path === path);
    if (!found) throw new Error(`The endpoint of the approval does not exist: ${method} ${path}.`);
    return found;
  }

  return [
    endpoint({
      method: 'POST',
      path: '/approval/{id}/approve',
      tag,
      summary: 'Approve a request and carry it out',
      description:
        'By another user of the tenant than the one who sent it, with the role that the request itself needs; an API key counts as the user who made it. The request is carried out as the approver; should it fail by now, the approval stays pending and the answer is its problem.',
      params,
      reply: Shape({ approval: reply, reply: JsonObject('What the request answered.', { id: 7 }) }, [
        'approval',
        'reply',
      ]),
      effect: 'change',
      problems: ['not-found', 'conflict', 'unprocessable', 'precondition-failed', 'plan-limit'],
      handle: async (call, { params }) => {
        const approval = await openApproval(call, params.id);
        const target = endpointOf(approval);
        const scope = authorize(call.principal, accessOf(target), target.effect);
        checkApprover(call, approval);
        const input = (await openRequest(call, approval)) as Input<unknown, unknown, unknown>;
        const answer = await target.handle({ ...call, scope }, input);
        return { body: { approval: await closeApproval(call, approval, 'APPROVED'), reply: answer.body } };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/approval/{id}/reject',
      tag,
      summary: 'Reject a request',
      description: 'By anyone who could have sent the request; its sender withdraws it this way.',
      params,
      reply,
      effect: 'change',
      problems: ['not-found', 'conflict'],
      handle: async (call, { params }) => {
        const approval = await openApproval(call, params.id);
        const target = endpointOf(approval);
        authorize(call.principal, accessOf(target), target.effect);
        return { body: await closeApproval(call, approval, 'REJECTED') };
      },
    }),
  ];
}

import { Id, JsonObject, Shape } from '../../../model/schema.ts';
import {
  checkRequester,
  checkUnchanged,
  closeApproval,
  openApproval,
  openRequest,
} from '../../../services/actions/approvals.ts';
import { checkApprover } from '../../../services/actions/checkApprover.ts';
import type { StoredApproval } from '../../../store/actions/approvals.ts';
import { approvalTable } from '../../../store/tables/approvalTable.ts';
import { replySchema } from '../../../store/tables/fields.ts';
import { accessOf, isEnough } from '../../http/access.ts';
import { authorize } from '../../http/authorize.ts';
import { type Endpoint, endpoint, type Input } from '../../http/endpoint.ts';
import { handleUnlessHeld } from '../../http/holdForApproval.ts';

const tag = 'Approvals';
const params = Shape({ id: Id('The approval.') }, ['id']);
const reply = replySchema(approvalTable.fields, [], 'The approval.');

/** Deciding on requests that wait for a second user; `endpoints` are those that can be held. */
export function approvalEndpoints(endpoints: readonly Endpoint[]): Endpoint[] {
  function endpointOf({ method, path }: StoredApproval): Endpoint {
    const match = endpoints.find((one) => one.method === method && one.path === path);
    if (!match) throw new Error(`The endpoint of the approval does not exist: ${method} ${path}.`);
    return match;
  }

  return [
    endpoint({
      method: 'POST',
      path: '/approval/{id}/approve',
      tag,
      summary: 'Approve a request and carry it out',
      description:
        'By another user of the tenant than the one who sent it, with the role that the request itself needs; an API key counts as the user who made it. Refused where one person may be both: the one invited or promoted the other or set the password, a third user of the tenant did so with both, or both signed in in one browser. A wallet may name its approvers. The request is carried out as the approver; should it fail by now, the approval stays pending and the answer is its problem; if it would change anything else than `changes` shows, it is a conflict.',
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
        const access = accessOf(target);
        await checkRequester(call, approval, (role) => access !== 'public' && isEnough(access, role));
        const input = (await openRequest(call, approval)) as Input<unknown, unknown, unknown>;
        const scopedCall = { ...call, scope };
        const outcome = await handleUnlessHeld(target, scopedCall, input);
        const held = checkUnchanged(approval, 'held' in outcome ? outcome.held : undefined);
        await checkApprover(call, approval, held.wallets);
        const answer = await target.handle(scopedCall, input);
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

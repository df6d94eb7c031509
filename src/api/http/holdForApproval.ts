import { membersOf } from '../../lib/isRecord.ts';
import { requestApproval } from '../../services/actions/approvals.ts';
import { describeDeed, doUnlessGuarded, type Held } from '../../services/actions/findChanges.ts';
import type { Call } from '../../services/call.ts';
import type { Row } from '../../store/records/records.ts';
import { approvalRuleOf } from './approvalRuleOf.ts';
import type { Endpoint, Input, Reply } from './endpoint.ts';

type AnyInput = Input<unknown, unknown, unknown>;

/**
 * Carries a request out, or keeps it for a second user where a wallet asks for one. What could not be carried out is refused
 * at once, as it would be without an approval.
 */
export async function handleOrHold(
  endpoint: Endpoint,
  call: Call,
  input: AnyInput,
): Promise<{ reply: Reply } | { approval: Row }> {
  const outcome = await handleUnlessHeld(endpoint, call, input);
  if ('reply' in outcome) return outcome;
  const { method, path } = endpoint;
  const request = { method, path, recordId: recordOf(input), body: shownBody(endpoint, input), input };
  return { approval: await requestApproval(call, outcome.held, request) };
}

/** The answer of a request that no wallet holds back; of any other what it would change, with all of it undone. */
export async function handleUnlessHeld(
  endpoint: Endpoint,
  call: Call,
  input: AnyInput,
): Promise<{ reply: Reply } | { held: Held }> {
  const rule = approvalRuleOf(endpoint);
  if (rule === 'always') {
    const kind = endpoint.path.startsWith('/wallet/') ? 'wallet' : 'action';
    const given = membersOf(membersOf(input.body).params);
    const held = await describeDeed(call, { kind, id: recordOf(input) ?? 0 }, given);
    if (held) return { held };
  }
  if (rule !== 'watched') return { reply: await endpoint.handle(call, input) };
  const outcome = await doUnlessGuarded(call, (heldCall) => endpoint.handle(heldCall, input));
  return 'done' in outcome ? { reply: outcome.done } : outcome;
}

function recordOf({ params }: AnyInput): number | null {
  const { id } = membersOf(params);
  return typeof id === 'number' ? id : null;
}

/** The members of a body without secrets; `changes` describes the whole request. Of a batch only the number of its records. */
function shownBody({ path }: Endpoint, input: AnyInput): Readonly<Record<string, unknown>> {
  const body = membersOf(input.body);
  if (Array.isArray(body.records)) return { records: body.records.length };
  if (/^\/(wallet|action|trigger)\b/.test(path)) return body;
  return body.actions === undefined ? {} : { actions: body.actions };
}

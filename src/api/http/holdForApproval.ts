import { membersOf } from '../../lib/isRecord.ts';
import { requestApproval } from '../../services/actions/approvals.ts';
import type { Call } from '../../services/call.ts';
import { findGuardedWallet } from '../../store/actions/approvals.ts';
import { dryRun } from '../../store/dryRun.ts';
import type { Row } from '../../store/records/records.ts';
import { approvalRuleOf } from './approvalRuleOf.ts';
import type { Endpoint, Input } from './endpoint.ts';

/**
 * Keeps a request for a second user where a wallet asks for one; undefined where it may be carried out. What could not be
 * carried out is refused at once, as it would be without an approval.
 */
export async function holdForApproval(
  endpoint: Endpoint,
  call: Call,
  input: Input<unknown, unknown, unknown>,
): Promise<Row | undefined> {
  const rule = approvalRuleOf(endpoint);
  if (!rule) return undefined;
  const { id } = membersOf(input.params);
  const recordId = typeof id === 'number' ? id : null;
  const body = membersOf(input.body);
  const wallet = await findGuardedWallet(call.db, call.visible, rule.touches(recordId ?? 0, body));
  if (!wallet) return undefined;
  if (!rule.isNotTried) await dryRun(call.db, () => endpoint.handle(call, input));
  const { method, path } = endpoint;
  const shown = rule.shows === undefined ? body : { [rule.shows]: body[rule.shows] };
  return requestApproval(call, wallet, { method, path, recordId, body: shown, input });
}

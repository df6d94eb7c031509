import { Problem } from '../../model/errors.ts';
import { type FaultEntry, type FaultFilter, findFaults } from '../../store/records/faults.ts';
import type { Call } from '../call.ts';

export type ShownFault = Omit<FaultEntry, 'cause' | 'reason'> & { reason: string; advice: string };

type Search = Omit<FaultFilter, 'tenantIds'> & { tenantId: number | undefined };

/** Faulty, switched off and late parts of the caller's tenants, with remedies. */
export async function readFaults(
  call: Call,
  { tenantId, ...search }: Search,
): Promise<{ data: ShownFault[]; total: number }> {
  const tenantIds = tenantId === undefined ? ownTenants(call) : [named(call, tenantId)];
  const { data, total } = await findFaults(call.services.reports, { ...search, tenantIds }, call.now);
  return { data: data.map(explain), total };
}

function ownTenants({ scope }: Call): readonly number[] | undefined {
  return scope.all ? undefined : scope.tenantIds;
}

function named({ scope }: Call, tenantId: number): number {
  if (!scope.all && !scope.tenantIds.includes(tenantId))
    throw new Problem('not-found', 'There is no such tenant.');
  return tenantId;
}

function explain({ cause, reason, ...entry }: FaultEntry): ShownFault {
  return { ...entry, reason: reason ?? reasonFor(entry, cause), advice: adviceFor(entry, cause) };
}

type Known = Pick<FaultEntry, 'kind' | 'id' | 'state' | 'count'>;

function reasonFor({ kind, state, count }: Known, cause: FaultEntry['cause']): string {
  const blocks = `${count} ${count === 1 ? 'block waits' : 'blocks wait'} to be evaluated`;
  switch (cause) {
    case 'reads':
      return `${blocks}, because nodes of the chain do not answer what it reads.`;
    case 'script time':
      return `${blocks}, because its scripts use more time than the share of the tenant.`;
    case 'unconfirmed':
      return 'Its e-mail address is not confirmed, so that nothing is sent to it.';
    case 'unbound':
      return 'It is bound to no chat, so that nothing is sent to it.';
    case 'timeouts':
      return `The scripts of a binding ran out of time ${count} times in a row, so that alerts no longer fire the action through it.`;
    case 'worker':
      return (
        `Findings of ${count} ${count === 1 ? 'block' : 'blocks'} wait, because the database server with the alerts of ` +
        'the tenant cannot be written to. They are neither stored nor sent yet.'
      );
    case null:
      if (state === 'UNDER_WAY') return `${count} ${count === 1 ? 'call is' : 'calls are'} under way.`;
      return kind === 'destination' ? 'Messages do not arrive.' : 'No reason was recorded.';
  }
}

function adviceFor({ kind, id, state }: Known, cause: FaultEntry['cause']): string {
  if (cause === 'unconfirmed')
    return `Open the link in the mail; POST /destination/${id}/confirm sends another one.`;
  if (cause === 'unbound') return 'Send the text in its `uid` to the bot, from the chat that it is for.';
  if (cause === 'timeouts') return 'Make its scripts faster and save the action again.';
  if (cause === 'reads')
    return 'Wait for the nodes, or ask an administrator for another endpoint of the chain.';
  if (cause === 'script time') return 'Make its condition cheaper, or wait: no block is left out.';
  switch (kind) {
    case 'detector':
    case 'trigger':
      return state === 'FAILING'
        ? 'It is evaluated again at every block. If the reason stays, correct its configuration.'
        : `Correct it, then enable it again: PUT /${kind}/${id} with the status ACTIVE.`;
    case 'destination':
      return state === 'FAILING'
        ? 'Messages are sent again by themselves. Check that the receiver works and accepts them.'
        : `Mend the receiver; POST /destination/${id}/test enables it again once a message arrives.`;
    case 'action':
      return state === 'UNDER_WAY'
        ? `Nothing; GET /action/${id}/intent shows how far they are.`
        : `See GET /action/${id}/intent; POST /action/${id}/simulate shows whether the call would succeed now.`;
    case 'wallet':
      return 'The calls are sent once the reason is gone: fund the wallet or raise its limits.';
    case 'tenant':
      return 'Wait: they are written in order and sent once the server is back. Watch the chain by other means until then.';
    case 'instance':
      return `Correct the script of the license; POST /instance/${id}/resume goes on with the alerts that wait.`;
  }
}

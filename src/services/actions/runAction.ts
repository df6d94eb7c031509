import { checkAllowedCalls } from '../../actions/checkAllowedCalls.ts';
import { fillCall } from '../../actions/fillCall.ts';
import { getChain } from '../../chains/chains.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { insertManualIntent } from '../../store/actions/insertIntents.ts';
import { type ActionSetup, findActionSetup, type IntentRecord } from '../../store/actions/intentLog.ts';
import { actionTable } from '../../store/tables/actionTable.ts';
import type { Call } from '../call.ts';
import { noEndpoint } from '../contracts/noEndpoint.ts';
import { audit } from '../records/audit.ts';
import { findReadable } from '../records/findReadable.ts';
import { readIntents } from './readIntents.ts';

/** Queues a manual run of the action. */
export async function runAction(
  call: Call,
  id: number,
  params: Readonly<Record<string, unknown>>,
): Promise<IntentRecord> {
  const key = await findReadable(call, actionTable, id);
  const { action } = await findActionSetup(call.db, key);
  if (!action.wallet.isActive)
    throw new Problem('conflict', 'The wallet that signs the action is not active; enable it first.');
  if (!action.isActive)
    throw new Problem('conflict', 'The contract of the action is not active; enable it first.');
  requireTransactor(call, action);
  const refused = checkAllowedCalls(action, checkParams(action, params));
  if (refused) throw new Problem('conflict', refused.reason);
  const uid = await insertManualIntent(call.db, { tenantId: key.tenantId, actionId: id }, params, call.now);
  if (uid === undefined)
    throw new Problem('conflict', 'Actions are halted; `POST /action/resume` lets them run again.');
  await audit(call, 'action', 'execute', key, undefined, undefined, { intent: uid, params });
  const [intent] = await readIntents(call, key, { from: 0, size: 1, uid });
  if (!intent) throw new Error(`The intent ${uid} cannot be read back.`);
  return intent;
}

export function requireTransactor({ services }: Call, { contract }: ActionSetup['action']) {
  const chain = getChain(contract.chainUid);
  const client = services.chains.client(chain.uid);
  if (client?.transactor) return client.transactor;
  throw new Problem(
    'conflict',
    client ? `Vigil cannot send transactions on ${chain.name} yet.` : noEndpoint(chain.uid),
  );
}

/** The target of the call with these parameters. */
export function checkParams(
  action: ActionSetup['action'],
  params: Readonly<Record<string, unknown>>,
): string {
  try {
    return fillCall(action, params).to;
  } catch (error) {
    if (error instanceof RangeError) throw unprocessable('/params', 'parameter', error.message);
    throw error;
  }
}

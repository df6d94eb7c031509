import { encodeStrkey, strkeyVersion } from '../../codecs/stellar/strkey.ts';
import { membersOf } from '../../lib/isRecord.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { listOf, recordOf, textOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';
import { decodeXdr, encodeXdr } from './xdr.ts';

/** Result of a function as ScVal in JSON, or the reason of its failure. */
export type Simulated = { value: unknown } | { failure: string };

/** Views need no one who calls them. */
const noAccount = encodeStrkey(strkeyVersion.account, new Uint8Array(32));

type ViewCall = { contract: string; name: string; args: readonly unknown[] };

/** Runs functions of contracts on the newest state. */
export async function simulate(
  request: Endpoints['request'],
  calls: readonly ViewCall[],
): Promise<Simulated[]> {
  if (calls.length === 0) return [];
  return request(
    calls.map((call) => simulationOf(noAccount, [invocation(call)])),
    (replies) => replies.map(readSimulated),
  );
}

/** The body of an operation that calls a contract. */
export function invocation({ contract, name, args }: ViewCall, auth: readonly unknown[] = []) {
  return {
    invoke_host_function: {
      host_function: { invoke_contract: { contract_address: contract, function_name: name, args } },
      auth,
    },
  };
}

export function simulationOf(from: string, bodies: readonly unknown[]): RpcCall {
  const tx = {
    source_account: from,
    fee: 100,
    seq_num: '1',
    cond: 'none',
    memo: 'none',
    operations: bodies.map((body) => ({ source_account: null, body })),
    ext: 'v0',
  };
  const transaction = encodeXdr('TransactionEnvelope', { tx: { tx, signatures: [] } });
  return { method: 'simulateTransaction', params: { transaction, xdrFormat: 'base64' } };
}

function readSimulated(reply: RpcReply): Simulated {
  const { error, results } = recordOf(resultOf(reply));
  if (typeof error === 'string') return { failure: error.split('\n')[0] ?? error };
  const [first] = listOf(results, 'results');
  return { value: decodeXdr('ScVal', textOf(membersOf(first).xdr, 'result')) };
}

import { isRecord } from '../../lib/isRecord.ts';
import type { Chain } from '../chains.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createProbe } from '../net/createProbe.ts';
import { createRest, post } from '../net/createRest.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { NotAvailableYet, resultOf } from '../net/replies.ts';
import { RpcFailure } from '../net/rpcFailure.ts';
import { decodeHeader } from './decodeBlock.ts';

/** The newest block where none is named; without `detail` its header alone. */
export const blockCall = (number?: number, detail = false) =>
  post('/wallet/getblock', { ...(number === undefined ? {} : { id_or_num: String(number) }), detail });

/** A node answers an empty record for what it does not have. */
export function isEmpty(result: unknown): boolean {
  return result === null || (isRecord(result) && Object.keys(result).length === 0);
}

/** The newest block on which enough producers have built: full nodes report it in one way, providers in another. */
export const solidCalls = () => [post('/walletsolidity/getnowblock', {}), post('/wallet/getnodeinfo', {})];

export function readSolidNumber([solid, info]: readonly RpcReply[]): number {
  if (solid && 'result' in solid && !isEmpty(solid.result)) return decodeHeader(solid.result).number;
  const text = info && 'result' in info && isRecord(info.result) ? info.result.solidityBlock : undefined;
  const match = /^Num:(\d+),/.exec(typeof text === 'string' ? text : '');
  if (!match) throw new NotAvailableYet();
  return Number(match[1]);
}

export const tronProtocol = ({ genesis }: Chain): Protocol => ({
  connect: createRest,
  identity: { call: blockCall(0), faultOf: (result) => genesisFault(result, genesis) },
  newest: {
    call: blockCall(),
    read: (result) => (isEmpty(result) ? Number.NaN : decodeHeader(result).number),
  },
});

function genesisFault(result: unknown, genesis: string | undefined): string | undefined {
  const id = isRecord(result) ? String(result.blockID) : 'none';
  return id === genesis ? undefined : `its first block is ${id} and not ${genesis}`;
}

export const { endpointFault, probeEndpoint } = createProbe({
  connect(url) {
    if (!url.startsWith('http')) throw new RpcFailure('nodes of Tron are reached by HTTP only');
    return createRest(url);
  },
  async examine(ask, { genesis }) {
    const [first] = await ask(blockCall(0));
    const fault = genesisFault(resultOf(first), genesis);
    if (fault !== undefined) return { fault };
    const startedAt = performance.now();
    const [newest] = await ask(blockCall());
    const latencyMs = Math.round(performance.now() - startedAt);
    // Nodes keep the newest state only.
    return { head: decodeHeader(resultOf(newest)).number, latencyMs, archiveDepth: 0, isArchive: false };
  },
});

import { isRecord } from '../../lib/isRecord.ts';
import { type EndpointReport, emptyReport } from '../chainFamily.ts';
import type { Chain } from '../chains.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createRest, post } from '../net/createRest.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { InvalidResponse, NotAvailableYet, resultOf } from '../net/replies.ts';
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

const timeoutMs = 4000;

/** The fault of an endpoint, found with two calls; undefined when it serves the network. */
export async function endpointFault(url: string, chain: Chain): Promise<string | undefined> {
  return (await probeEndpoint(url, chain)).fault ?? undefined;
}

export async function probeEndpoint(url: string, { genesis }: Chain): Promise<EndpointReport> {
  if (!url.startsWith('http')) return { ...emptyReport, fault: 'nodes of Tron are reached by HTTP only' };
  const rest = createRest(url);
  try {
    const [first] = await rest.batch([blockCall(0)], timeoutMs);
    const fault = genesisFault(resultOf(first), genesis) ?? null;
    if (fault !== null) return { ...emptyReport, fault };
    const startedAt = performance.now();
    const [newest] = await rest.batch([blockCall()], timeoutMs);
    const latencyMs = Math.round(performance.now() - startedAt);
    // Nodes keep the newest state only.
    return {
      ...emptyReport,
      head: decodeHeader(resultOf(newest)).number,
      latencyMs,
      archiveDepth: 0,
      isArchive: false,
    };
  } catch (error) {
    if (error instanceof RpcFailure || error instanceof InvalidResponse)
      return { ...emptyReport, fault: error.message };
    throw error;
  } finally {
    await rest.close();
  }
}

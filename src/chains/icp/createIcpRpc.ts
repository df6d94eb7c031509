import type { HttpAgent } from '@icp-sdk/core/agent';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { createRedact, maskOrigin } from '../../lib/maskEndpoint.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import { answerKinds } from '../net/answerLimits.ts';
import { createHttp } from '../net/createHttp.ts';
import { type Rpc, type RpcCall, type RpcError, RpcFailure, type RpcReply } from '../net/createRpc.ts';
import { pauseAfterNonsense } from '../net/pauseAfterNonsense.ts';
import { receiveBytes } from '../net/receivers.ts';
import { Nonsense } from '../net/rpcFailure.ts';
import { checkCbor } from './checkCbor.ts';
import { type Icp, loadIcp } from './loadIcp.ts';

/** The content of a certificate: the time of the state, and the values of the requested paths (null: none). */
export type Certified = { readonly time: bigint; readonly values: readonly (Uint8Array | null)[] };
/** The state of a ledger at a certified time; the certificate of the ledger of ICP has the time alone. */
export type Tip = { readonly time: bigint | undefined; readonly lastIndex: bigint | undefined };
export type StatePath = readonly (string | Uint8Array)[];

const requestMs = 10_000;
const statusPath = '/api/v2/status';
/** Of a canister that the network does not have. */
const absentCode = 400;

/** True if nothing exists that could answer, unlike a canister that is out of service. */
export function isAbsent({ code, message, data }: RpcError): boolean {
  return code === absentCode || data === 'IC0536' || /has no (query|update) method/i.test(message);
}

export const queryCall = (canister: string, method: string, arg: Uint8Array): RpcCall => ({
  method: 'query',
  params: [canister, method, arg],
});
export const readStateCall = (canister: string, paths: readonly StatePath[]): RpcCall => ({
  method: 'read_state',
  params: [canister, paths],
});
/** As `readStateCall`, with the request as a wallet signed it: no one else may ask for the status of its calls. */
export const signedReadCall = (canister: string, paths: readonly StatePath[], body: Uint8Array): RpcCall => ({
  method: 'read_state',
  params: [canister, paths, body],
});
export const submitCall = (canister: string, body: Uint8Array): RpcCall => ({
  method: 'call',
  params: [canister, body],
});
export const certifiedMethod = 'certificate';
/** Checks the certificate in which a ledger says how far it is; `tree` is what it certifies, where that is more than a hash. */
export const certifiedCall = (canister: string, certificate: Uint8Array, tree?: Uint8Array): RpcCall => ({
  method: certifiedMethod,
  params: [canister, certificate, tree],
});
export const statusCall: RpcCall = { method: 'status', params: [] };

/**
 * One boundary node or replica. The library proves every answer: `read_state` by the subnet's signature, down to the
 * root key of the network, queries by that of a node of the subnet.
 */
export function createIcpRpc(url: string, rootKeyHex: string): Rpc {
  const http = createHttp(url);
  const redact = createRedact(url);
  const rootKey = hexToBytes(rootKeyHex);
  let agent: HttpAgent | undefined;

  const open = (icp: Icp): HttpAgent => {
    agent ??= icp.agent.HttpAgent.createSync({
      // Paths are put below that of the endpoint when they are sent.
      host: new URL(url).origin,
      rootKey,
      retryTimes: 0,
      verifyQuerySignatures: true,
      fetch: (target, init) => {
        const { pathname } = new URL(target instanceof Request ? target.url : String(target));
        return exchange(pathname, init?.body as Uint8Array);
      },
    });
    return agent;
  };

  async function exchange(path: string, body: Uint8Array | undefined): Promise<Response> {
    const { maxBytes } = path.endsWith(statusPath) ? answerKinds.small : answerKinds.state;
    const { status, value } = await http.request(
      { method: body ? 'POST' : 'GET', path, body, contentType: 'application/cbor' },
      requestMs,
      (answered) => receiveBytes(answered === 200 ? maxBytes : answerKinds.small.maxBytes),
    );
    if (status === 200) checkCbor(value);
    return new Response(new Uint8Array(value), { status });
  }

  async function send(call: RpcCall, icp: Icp): Promise<RpcReply> {
    const [canister, first, second] = call.params as [string, never, never];
    switch (call.method) {
      case 'status':
        return { result: await readStatus(icp) };
      case 'query':
        return query(icp, canister, first, second);
      case 'read_state':
        return { result: await readState(icp, canister, first, second) };
      case certifiedMethod:
        return { result: await readTip(icp, canister, first, second) };
      default:
        return submit(icp, canister, first);
    }
  }

  async function query(icp: Icp, canister: string, methodName: string, arg: Uint8Array): Promise<RpcReply> {
    const reply = await open(icp).query(canister, { methodName, arg });
    if ('reply' in reply) return { result: reply.reply.arg };
    const { reject_code: code, reject_message: message, error_code: data } = reply;
    return { error: { code, message: redact(message), data } };
  }

  async function readState(
    icp: Icp,
    canister: string,
    paths: readonly StatePath[],
    body?: Uint8Array,
  ): Promise<Certified> {
    const bytes = paths.map((path) => path.map(toBytes));
    const certificate = body
      ? await icp.agent.Certificate.create({
          certificate: decodeRecord(icp, await post(`/api/v3/canister/${canister}/read_state`, body))
            .certificate as Uint8Array,
          rootKey,
          principal: { canisterId: icp.Principal.fromText(canister) },
          blsVerify: rememberedVerify(icp),
        })
      : (
          await open(icp).readState(
            { canisterId: icp.Principal.fromText(canister) },
            { paths: bytes, blsVerify: rememberedVerify(icp) },
          )
        ).verifiedCertificate;
    return {
      time: timeIn(icp, certificate),
      values: bytes.map((path) => {
        const lookup = certificate.lookup_path(path);
        if (lookup.status === icp.agent.LookupPathStatus.Found) return lookup.value;
        if (lookup.status === icp.agent.LookupPathStatus.Absent) return null;
        throw new RpcFailure('its certificate does not tell what was asked for');
      }),
    };
  }

  async function readTip(
    icp: Icp,
    canister: string,
    raw: Uint8Array,
    tree: Uint8Array | undefined,
  ): Promise<Tip> {
    const id = icp.Principal.fromText(canister);
    const certificate = await icp.agent.Certificate.create({
      certificate: raw,
      rootKey,
      principal: { canisterId: id },
      blsVerify: rememberedVerify(icp),
    });
    const time = timeIn(icp, certificate);
    if (!tree) return { time, lastIndex: undefined };
    const decodedTree = icp.agent.Cbor.decode<Parameters<typeof icp.agent.reconstruct>[0]>(tree);
    const certified = certificate.lookup_path(['canister', id.toUint8Array(), 'certified_data']);
    if (
      !('value' in certified) ||
      bytesToHex(certified.value) !== bytesToHex(await icp.agent.reconstruct(decodedTree))
    )
      throw new RpcFailure('the tip of the ledger is not what its certificate says');
    const last = icp.agent.lookup_path(['last_block_index'], decodedTree);
    return { time, lastIndex: 'value' in last ? fromLeb(last.value) : -1n };
  }

  /** The answer to a call that was taken is empty; what a canister refuses beforehand is an error. */
  async function submit(icp: Icp, canister: string, body: Uint8Array): Promise<RpcReply> {
    const answer = await exchange(`/api/v2/canister/${canister}/call`, body);
    if (answer.status === 202) return { result: null };
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (answer.status === 200) {
      const { reject_code: code, reject_message: message } = decodeRecord(icp, bytes);
      return { error: { code: Number(code), message: redact(String(message)) } };
    }
    if (answer.status !== 400) throw new RpcFailure(`it answered with status ${answer.status}`);
    return { error: { code: absentCode, message: redact(Buffer.from(bytes).toString().slice(0, 300)) } };
  }

  async function readStatus(icp: Icp): Promise<{ rootKey: string }> {
    const bytes = await post(statusPath, undefined);
    const { root_key: key } = decodeRecord(icp, bytes);
    return { rootKey: key instanceof Uint8Array ? bytesToHex(key) : '' };
  }

  async function post(path: string, body: Uint8Array | undefined): Promise<Uint8Array> {
    const answer = await exchange(path, body);
    if (answer.status !== 200) throw new RpcFailure(`it answered with status ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }

  return pauseAfterNonsense({
    name: maskOrigin(url),
    async batch(calls, timeoutMs) {
      const icp = await loadIcp();
      return settleWithin(timeoutMs, Promise.all(calls.map((call) => orAbsent(icp, send(call, icp)))), () => {
        throw new RpcFailure(`it did not answer within ${timeoutMs} ms`);
      });
    },
    close: http.close,
  });

  /** A missing canister is an answer of the network; every further failure is a fault of the endpoint. */
  async function orAbsent(icp: Icp, work: Promise<RpcReply>): Promise<RpcReply> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof RpcFailure) throw error;
      const code = error instanceof icp.agent.AgentError ? error.code : undefined;
      if (
        code instanceof icp.agent.HttpErrorCode &&
        // A working node refuses private state.
        (code.status === 403 || (code.status === 400 && /not.found/i.test(code.bodyText ?? '')))
      )
        return { error: { code: absentCode, message: redact(code.bodyText ?? '') } };
      if (code instanceof icp.agent.HttpFetchErrorCode && code.error instanceof RpcFailure) throw code.error;
      const status =
        code instanceof icp.agent.HttpErrorCode ? `it answered with status ${code.status}` : undefined;
      // Checking signatures costs much, so that a node whose answers are not signed rightly counts as one that sends nonsense.
      const Failure = error instanceof icp.agent.TrustError ? Nonsense : RpcFailure;
      throw new Failure(redact(status ?? messageOf(error)).slice(0, 300), { cause: error });
    }
  }
}

const maxVerified = 1000;
const verified = createBoundedMap<string, true>(maxVerified);

/** The delegation of a subnet comes with every certificate and stays the same for weeks; checking it takes tens of milliseconds. */
function rememberedVerify(icp: Icp) {
  return (key: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean => {
    const id = `${bytesToHex(key)} ${bytesToHex(signature)} ${bytesToHex(message)}`;
    if (verified.has(id)) return true;
    const isRight = icp.agent.blsVerify(key, signature, message);
    if (isRight) verified.set(id, true);
    return isRight;
  };
}

function timeIn(icp: Icp, certificate: { lookup_path(path: string[]): unknown }): bigint {
  const timeBytes = icp.agent.lookupResultToBuffer(certificate.lookup_path(['time']) as never);
  if (!timeBytes) throw new RpcFailure('its certificate has no time');
  return fromLeb(timeBytes);
}

function decodeRecord(icp: Icp, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  return icp.agent.Cbor.decode<Record<string, unknown>>(bytes);
}

const toBytes = (part: string | Uint8Array) => (typeof part === 'string' ? Buffer.from(part) : part);

function fromLeb(bytes: Uint8Array): bigint {
  return bytes.reduceRight((number, byte) => (number << 7n) | BigInt(byte & 127), 0n);
}

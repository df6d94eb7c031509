import { isRecord, membersOf } from '../../lib/isRecord.ts';
import type { Rehearsal, StorageChange } from '../chainClient.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { isUnknownCall } from '../net/isUnknownCall.ts';
import { resultOf } from '../net/replies.ts';
import type { ChainCall } from '../transactor.ts';
import { decodeHeader } from './decodeBlock.ts';
import { decodeSimulatedCall, decodeTracedCall, type SimulatedRun } from './mempool/decodeSimulation.ts';
import { callsOf, toSimulateCall } from './mempool/simulatedCalls.ts';

/** Runs a call on a copy of the newest state of one node, as far as the node can: what moves, and what is written. */
export async function rehearseCall(
  { request }: Endpoints,
  { from, to, data, units }: ChainCall & { from: string; units: bigint | undefined },
): Promise<Rehearsal> {
  const gas = units === undefined ? {} : { gas: `0x${units.toString(16)}` };
  const sent = { from, to, input: data, value: '0x0', ...gas };
  const trace = (config: Readonly<Record<string, unknown>>): RpcCall => ({
    method: 'debug_traceCall',
    params: [sent, 'latest', { ...config, timeout: '2s' }],
  });
  const isLight = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
  const calls = [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    toSimulateCall([sent], true, 'latest'),
    trace(isLight),
  ];
  const transaction = { from, to, input: data, hash: '', nonce: 0, maxFee: 0n, tip: null, raw: sent };
  const { header, simulated, storage } = await request(calls, ([head, run, diff]) => ({
    header: decodeHeader(resultOf(head)),
    simulated: run,
    storage: diff && 'result' in diff ? toStorageChanges(diff.result) : null,
  }));
  const read = (
    reply: RpcReply | undefined,
    decode: (result: unknown) => SimulatedRun,
  ): SimulatedRun | undefined => (reply && 'result' in reply ? decode(reply.result) : undefined);
  const run =
    simulated && isUnknownCall(simulated)
      ? await request([trace({ tracer: 'callTracer', tracerConfig: { withLog: true } })], ([reply]) =>
          read(reply, (result) => decodeTracedCall(transaction, result)),
        )
      : read(simulated, (result) => decodeSimulatedCall(transaction, callsOf(result)[0]));
  return {
    block: { number: header.number, hash: header.hash, timestamp: header.timestamp },
    effects: run?.isSuccess ? run : null,
    storage: run?.isSuccess === false ? null : storage,
  };
}

const zeroWord = `0x${'0'.repeat(64)}`;

/** Slots that `prestateTracer` reports as changed by the call. */
function toStorageChanges(result: unknown): StorageChange[] {
  const { pre, post } = membersOf(result);
  const slotsOf = (state: unknown, address: string): Readonly<Record<string, unknown>> => {
    const { storage } = membersOf(membersOf(state)[address]);
    return isRecord(storage) ? storage : {};
  };
  const addresses = new Set([...Object.keys(membersOf(pre)), ...Object.keys(membersOf(post))]);
  return [...addresses].flatMap((address) => {
    const [before, after] = [slotsOf(pre, address), slotsOf(post, address)];
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((slot) => {
      const change = { address, slot, before: wordOf(before[slot]), after: wordOf(after[slot]) };
      return change.before === change.after ? [] : [change];
    });
  });
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : zeroWord;
}

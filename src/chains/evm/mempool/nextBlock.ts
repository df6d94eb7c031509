import { membersOf } from '../../../lib/isRecord.ts';
import type { Header } from '../../../model/block.ts';
import type { RpcCall, RpcReply } from '../../net/createRpc.ts';
import { InvalidResponse, NotAvailableYet, resultOf } from '../../net/replies.ts';
import { toHex } from '../toRpcCall.ts';

/** Known facts of the block after a node's newest one. */
export type NextBlock = {
  /** The number of the newest block. */
  parent: number;
  /** Its time, in seconds. */
  parentTime: number;
  /** The maker of the block before, because that of the next one is unknown. */
  feeRecipient: string | undefined;
  baseFeePerGas: string | undefined;
};

/** As nodes want it in `blockOverrides`. */
export type BlockOverrides = Readonly<Record<string, string>>;

export async function readNextBlock(
  batch: (calls: readonly RpcCall[]) => Promise<RpcReply[]>,
  tip: Header,
): Promise<NextBlock> {
  const [newest, history] = await batch([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_feeHistory', params: ['0x1', 'latest', []] },
  ]);
  const { number, timestamp, miner, baseFeePerGas } = membersOf(resultOf(newest));
  const parent = Number(number);
  const parentTime = Number(timestamp);
  if (!Number.isSafeInteger(parent) || !Number.isSafeInteger(parentTime))
    throw new InvalidResponse('its newest block has no number or time');
  if (parent < tip.number) throw new NotAvailableYet(tip.number);
  // Each chain has rules of its own for the next base fee, which its nodes apply.
  const fees = history && 'result' in history ? membersOf(history.result).baseFeePerGas : undefined;
  const expected: unknown = Array.isArray(fees) ? fees.at(-1) : undefined;
  const baseFee = typeof baseFeePerGas === 'string' ? (expected ?? baseFeePerGas) : undefined;
  return {
    parent,
    parentTime,
    feeRecipient: typeof miner === 'string' ? miner : undefined,
    baseFeePerGas: typeof baseFee === 'string' ? baseFee : undefined,
  };
}

/** The time is that at which the block is due, or the present if that has passed. */
export function overridesOf(
  { parent, parentTime, feeRecipient, baseFeePerGas }: NextBlock,
  blockTimeMs: number,
  now: number,
): BlockOverrides {
  const due = parentTime + Math.max(1, Math.round(blockTimeMs / 1000));
  return {
    number: toHex(parent + 1),
    time: toHex(Math.max(due, Math.floor(now / 1000))),
    ...(feeRecipient && { feeRecipient }),
    ...(baseFeePerGas && { baseFeePerGas }),
  };
}

/** The price members of the transaction; nodes show both forms for transactions with a tip. */
export function feesOf(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = raw;
  if (typeof maxFeePerGas === 'string') return { maxFeePerGas, maxPriorityFeePerGas };
  return typeof gasPrice === 'string' ? { gasPrice } : {};
}

const feeFaults =
  /insufficient (funds|balance)|base ?fee|fee ?cap|max (priority )?fee|gas ?price|underpriced/i;

/** The node does not run it because of what it pays. What a contract says comes with data, and with a code of its own. */
export function isFeeFault(reply: RpcReply): boolean {
  if (!('error' in reply)) return false;
  const { code, message, data } = reply.error;
  return code !== 3 && data === undefined && feeFaults.test(message);
}

import { AbiParameters } from 'ox';
import type { SignedTx } from './parseTransaction.ts';
import { RpcError } from './rpcError.ts';

export type SimCall = {
  /** What asks: eth_call, eth_estimateGas, or the block that takes the transaction. */
  phase: 'call' | 'estimate' | 'execute';
  from: string;
  to: string | null;
  data: string;
  value: bigint;
};

/** Reverts with a reason or with 0x bytes, or uses that much gas; undefined: succeeds at the usual price. */
export type Contract = (call: SimCall) => { revert: string } | { gas: number } | undefined;

/** What comes of a transaction in its block. */
export function execute(tx: SignedTx, contract: Contract | undefined): { status: boolean; gasUsed: number } {
  const verdict = contract?.({ ...tx, phase: 'execute' });
  const needed = verdict && 'gas' in verdict ? verdict.gas : defaultGas(tx);
  const isRevert = verdict !== undefined && 'revert' in verdict;
  return { status: !isRevert && needed <= tx.gas, gasUsed: Math.min(needed, tx.gas) };
}

/** The gas that the call would use; throws what a node says of one that reverts. */
export function tryCall(call: SimCall, contract: Contract | undefined): number {
  const verdict = contract?.(call);
  if (!verdict) return defaultGas(call);
  if ('gas' in verdict) return verdict.gas;
  const { revert } = verdict;
  if (revert.startsWith('0x')) throw new RpcError(3, 'execution reverted', revert);
  const data = `0x08c379a0${AbiParameters.encode([{ type: 'string' }], [revert]).slice(2)}`;
  throw new RpcError(3, `execution reverted: ${revert}`, data);
}

/** What it pays per gas, or undefined where a block cannot take it. */
export function priceOf({ maxFee, tip }: SignedTx, baseFee: bigint | null): bigint | undefined {
  if (baseFee === null) return maxFee;
  if (maxFee < baseFee) return undefined;
  return maxFee < baseFee + tip ? maxFee : baseFee + tip;
}

/** What a transaction pays before anything runs. */
export function intrinsicGas({ to, data }: { to: string | null; data: string }): number {
  const bytes = Buffer.from(data.slice(2), 'hex');
  return bytes.reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), to === null ? 53_000 : 21_000);
}

const defaultGas = (call: { to: string | null; data: string }): number =>
  intrinsicGas(call) + (call.data === '0x' ? 0 : 20_000);

import { isRecord } from '../../../lib/isRecord.ts';
import type { PendingTransaction } from '../../../model/pending.ts';

/** A transaction of the pool; undefined for anything else, and for one that a block has already. */
export function decodePending(raw: unknown): PendingTransaction | undefined {
  if (!isRecord(raw) || (raw.blockHash !== null && raw.blockHash !== undefined)) return undefined;
  const { hash, from, to, nonce, input, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = raw;
  if (typeof hash !== 'string' || typeof from !== 'string' || typeof input !== 'string') return undefined;
  const maxFee = toBigInt(maxFeePerGas) ?? toBigInt(gasPrice);
  const order = Number(nonce);
  if (maxFee === undefined || !Number.isSafeInteger(order)) return undefined;
  return {
    hash,
    from: from.toLowerCase(),
    to: typeof to === 'string' ? to.toLowerCase() : null,
    nonce: order,
    input,
    maxFee,
    tip: toBigInt(maxPriorityFeePerGas) ?? null,
    raw,
  };
}

function toBigInt(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}

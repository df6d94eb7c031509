import { Hash, type Hex, TxEnvelopeEip1559, TxEnvelopeLegacy } from 'ox';
import { toHex } from './buildBlock.ts';
import { recoverSender } from './recoverSender.ts';
import { RpcError } from './rpcError.ts';

/** A transaction as its sender signed it; addresses in lower case, prices in wei. */
export type SignedTx = {
  raw: string;
  hash: string;
  type: 'legacy' | 'eip1559';
  chainId: number | undefined;
  from: string;
  nonce: number;
  to: string | null;
  data: string;
  value: bigint;
  gas: number;
  /** At most this per gas; the price of a legacy one. */
  maxFee: bigint;
  /** At most this per gas to the miner; the price of a legacy one. */
  tip: bigint;
  signature: { r: bigint; s: bigint; yParity: number };
};

/** Reads what eth_sendRawTransaction was given, and finds out who signed it. */
export function parseTransaction(raw: string): SignedTx {
  try {
    return raw.startsWith('0x02') ? parseEip1559(toSerialized(raw)) : parseLegacy(toHexText(raw));
  } catch (error) {
    if (error instanceof RpcError) throw error;
    throw new RpcError(
      -32000,
      `invalid transaction: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The transaction as a node returns it; `price` is what it pays per gas. */
export function toWire(tx: SignedTx, price: bigint): Record<string, unknown> {
  const { r, s, yParity } = tx.signature;
  const isLegacy = tx.type === 'legacy';
  const eip155 = tx.chainId === undefined ? 27 : tx.chainId * 2 + 35;
  return {
    hash: tx.hash,
    from: tx.from,
    nonce: toHex(tx.nonce),
    to: tx.to,
    input: tx.data,
    value: toHex(tx.value),
    gas: toHex(tx.gas),
    gasPrice: toHex(price),
    maxFeePerGas: isLegacy ? undefined : toHex(tx.maxFee),
    maxPriorityFeePerGas: isLegacy ? undefined : toHex(tx.tip),
    accessList: isLegacy ? undefined : [],
    type: isLegacy ? '0x0' : '0x2',
    chainId: tx.chainId === undefined ? undefined : toHex(tx.chainId),
    v: toHex(isLegacy ? eip155 + yParity : yParity),
    yParity: isLegacy ? undefined : toHex(yParity),
    r: toHex(r),
    s: toHex(s),
  };
}

function parseEip1559(raw: TxEnvelopeEip1559.Serialized): SignedTx {
  const envelope = TxEnvelopeEip1559.deserialize(raw);
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = envelope;
  return {
    ...toSigned(raw, envelope, TxEnvelopeEip1559.getSignPayload(envelope)),
    type: 'eip1559',
    maxFee: maxFeePerGas,
    tip: maxPriorityFeePerGas,
  };
}

function parseLegacy(raw: Hex.Hex): SignedTx {
  const envelope = TxEnvelopeLegacy.deserialize(raw);
  const { gasPrice = 0n } = envelope;
  return {
    ...toSigned(raw, envelope, TxEnvelopeLegacy.getSignPayload(envelope)),
    type: 'legacy',
    maxFee: gasPrice,
    tip: gasPrice,
  };
}

type Envelope = TxEnvelopeEip1559.TxEnvelopeEip1559 | TxEnvelopeLegacy.TxEnvelopeLegacy;

function toSigned(
  raw: Hex.Hex,
  envelope: Envelope,
  payload: Hex.Hex,
): Omit<SignedTx, 'type' | 'maxFee' | 'tip'> {
  const { chainId, nonce = 0n, to, data = '0x', value = 0n, gas = 0n, r, s, yParity } = envelope;
  if (r === undefined || s === undefined || yParity === undefined)
    throw new RpcError(-32000, 'invalid transaction: it is not signed');
  if (r === 0n || s === 0n || s > halfOrder) throw new RpcError(-32000, 'invalid transaction v, r, s values');
  const signature = { r, s, yParity };
  return {
    raw,
    hash: Hash.keccak256(raw),
    chainId,
    from: recoverSender(payload, signature),
    nonce: Number(nonce),
    to: to?.toLowerCase() ?? null,
    data,
    value,
    gas: Number(gas),
    signature,
  };
}

// EIP-2: of the two signatures for each message, nodes take the one with the lower s.
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

const toSerialized = (raw: string): TxEnvelopeEip1559.Serialized => `0x02${raw.slice(4)}`;
const toHexText = (raw: string): Hex.Hex => `0x${raw.slice(2)}`;

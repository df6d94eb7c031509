import { bytesToNumberBE } from '@noble/curves/utils.js';
import * as Hex from 'ox/Hex';
import * as TxEnvelopeEip1559 from 'ox/TxEnvelopeEip1559';
import * as TxEnvelopeLegacy from 'ox/TxEnvelopeLegacy';
import type { Chain } from '../chains.ts';
import type { Order, Signature, Unsigned } from '../transactor.ts';

/** An unsigned transaction; a legacy one names its chain too (EIP-155), which keeps it from being replayed on another. */
export type Envelope =
  | TxEnvelopeEip1559.TxEnvelopeEip1559<false>
  | (TxEnvelopeLegacy.TxEnvelopeLegacy<false> & { chainId: number });

/** The transaction that makes the call. */
export function buildTransaction({ chainId, uid }: Chain, order: Omit<Order, 'unique'>): Unsigned {
  const { call, units, price, place: slot } = order;
  if (chainId === undefined) throw new Error(`Vigil signs nothing for ${uid}: it has no chain id.`);
  if (!('nonce' in slot)) throw new Error('A transaction of an EVM chain needs a nonce.');
  const { to, data } = call;
  Hex.assert(to);
  Hex.assert(data);
  const common = { chainId, nonce: BigInt(slot.nonce), to, data, gas: units, value: 0n };
  return fromEnvelope(
    price.tip === null
      ? { ...common, type: 'legacy', gasPrice: price.maxFee }
      : { ...common, type: 'eip1559', maxFeePerGas: price.maxFee, maxPriorityFeePerGas: price.tip },
  );
}

export function fromEnvelope(envelope: Envelope): Unsigned {
  if (!Number.isSafeInteger(envelope.chainId) || envelope.chainId < 1)
    throw new Error('A transaction needs a chain id: it is signed for one chain.');
  if (envelope.type === 'legacy')
    return {
      payloads: [Hex.toBytes(TxEnvelopeLegacy.getSignPayload(envelope))],
      finish(signatures) {
        const signed = TxEnvelopeLegacy.from(envelope, { signature: only(signatures) });
        const raw = TxEnvelopeLegacy.serialize(signed);
        return { raw, hash: TxEnvelopeLegacy.hash(signed), validUntil: null };
      },
    };
  return {
    payloads: [Hex.toBytes(TxEnvelopeEip1559.getSignPayload(envelope))],
    finish(signatures) {
      const signed = TxEnvelopeEip1559.from(envelope, { signature: only(signatures) });
      const raw = TxEnvelopeEip1559.serialize(signed);
      return { raw, hash: TxEnvelopeEip1559.hash(signed), validUntil: null };
    },
  };
}

function only([signature]: readonly Signature[]) {
  if (!signature) throw new Error('The signature of the transaction is missing.');
  const { bytes, yParity } = signature;
  return { r: bytesToNumberBE(bytes.subarray(0, 32)), s: bytesToNumberBE(bytes.subarray(32)), yParity };
}

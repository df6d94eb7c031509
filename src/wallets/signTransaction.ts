import * as Hex from 'ox/Hex';
import * as TxEnvelopeEip1559 from 'ox/TxEnvelopeEip1559';
import * as TxEnvelopeLegacy from 'ox/TxEnvelopeLegacy';
import type { Signer } from './openSigner.ts';

/** An unsigned transaction; a legacy one names its chain too (EIP-155), which keeps it from being replayed on another. */
export type Envelope =
  | TxEnvelopeEip1559.TxEnvelopeEip1559<false>
  | (TxEnvelopeLegacy.TxEnvelopeLegacy<false> & { chainId: number });

export type SignedTransaction = { raw: Hex.Hex; hash: Hex.Hex };

/** The bytes to send and the transaction hash. */
export async function signTransaction(signer: Signer, envelope: Envelope): Promise<SignedTransaction> {
  if (!Number.isSafeInteger(envelope.chainId) || envelope.chainId < 1)
    throw new Error('A transaction needs a chain id: it is signed for one chain.');
  if (envelope.type === 'legacy') {
    const signature = await signer.sign(Hex.toBytes(TxEnvelopeLegacy.getSignPayload(envelope)));
    const signed = TxEnvelopeLegacy.from(envelope, { signature });
    return { raw: TxEnvelopeLegacy.serialize(signed), hash: TxEnvelopeLegacy.hash(signed) };
  }
  const signature = await signer.sign(Hex.toBytes(TxEnvelopeEip1559.getSignPayload(envelope)));
  const signed = TxEnvelopeEip1559.from(envelope, { signature });
  return { raw: TxEnvelopeEip1559.serialize(signed), hash: TxEnvelopeEip1559.hash(signed) };
}

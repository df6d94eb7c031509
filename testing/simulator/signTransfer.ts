import { Address, type Hex, Secp256k1, TxEnvelopeEip1559, TxEnvelopeLegacy } from 'ox';

type Transfer = {
  key: Hex.Hex;
  chainId: number;
  nonce: number;
  to?: Hex.Hex;
  data?: Hex.Hex;
  value?: bigint;
  gas?: bigint;
  /** Both prices are wei per gas; a legacy one pays maxFee. */
  maxFee?: bigint;
  tip?: bigint;
  isLegacy?: boolean;
};

/** A raw transaction for tests of the simulator itself; the product signs with code of its own. */
export function signTransfer(transfer: Transfer): Hex.Hex {
  const { key, chainId, to = `0x${'aa'.repeat(20)}`, data = '0x', value = 0n, gas = 60_000n } = transfer;
  const { maxFee = 10_000_000_000n, tip = 1_000_000_000n, nonce, isLegacy = false } = transfer;
  const common = { chainId, nonce: BigInt(nonce), to, data, value, gas };
  if (isLegacy) {
    const envelope = TxEnvelopeLegacy.from({ ...common, gasPrice: maxFee });
    const signature = Secp256k1.sign({ payload: TxEnvelopeLegacy.getSignPayload(envelope), privateKey: key });
    return TxEnvelopeLegacy.serialize(envelope, { signature });
  }
  const envelope = TxEnvelopeEip1559.from({ ...common, maxFeePerGas: maxFee, maxPriorityFeePerGas: tip });
  const signature = Secp256k1.sign({ payload: TxEnvelopeEip1559.getSignPayload(envelope), privateKey: key });
  return TxEnvelopeEip1559.serialize(envelope, { signature });
}

export const addressOf = (key: Hex.Hex): Hex.Hex =>
  Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey: key }));

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { RawTx, SigHash, Transaction } from '@scure/btc-signer';
import type { ChainCall, Signature, Unsigned } from '../transactor.ts';
import { isSegwit, toScript } from './script.ts';

/** An output of the wallet that it can spend. */
export type Coin = { txid: string; vout: number; amount: bigint };

/** A call as an order to pay; without an amount everything is paid that the coins have. */
type Payment = { to: string; sats: bigint | undefined };

/** A payment with its fee; `change` goes back, and what is too little to go back is part of the fee. */
export type PaymentPlan = { vsize: bigint; fee: bigint; paid: bigint; change: bigint };

/** Prices are kept in satoshis for a thousand virtual bytes, as nodes give them. */
export const perUnit = 1000n;

export function readPayment({ to, data }: ChainCall): Payment {
  const [, sats] = /^send (\d+)$/.exec(data) ?? [];
  if (sats === undefined && data !== 'sweep') throw new Error(`"${data}" is no payment.`);
  return { to, sats: sats === undefined ? undefined : BigInt(sats) };
}

/** The payment of these coins at this rate; undefined when they are not enough. */
export function planPayment(
  { to, sats }: Payment,
  from: string,
  coins: readonly Coin[],
  rate: bigint,
): PaymentPlan | undefined {
  const total = coins.reduce((sum, { amount }) => sum + amount, 0n);
  const feeOf = (vsize: bigint) => (vsize * rate + perUnit - 1n) / perUnit;
  const alone = sizeOf(coins.length, [to]);
  if (sats === undefined) {
    const paid = total - feeOf(alone);
    return paid >= dustOf(to) ? { vsize: alone, fee: total - paid, paid, change: 0n } : undefined;
  }
  const withChange = sizeOf(coins.length, [to, from]);
  const change = total - sats - feeOf(withChange);
  if (change >= dustOf(from)) return { vsize: withChange, fee: feeOf(withChange), paid: sats, change };
  const fee = total - sats;
  return fee >= feeOf(alone) ? { vsize: alone, fee, paid: sats, change: 0n } : undefined;
}

/** The least that nodes relay: less would cost more to spend, at 3 satoshis a byte, than it is worth. */
export function dustOf(address: string): bigint {
  const length = toScript(address).length / 2;
  return 3n * BigInt(9 + length + (isSegwit(address) ? 67 : 148));
}

/** Of a transaction with inputs of this wallet (P2WPKH) and outputs of these addresses, signatures at their longest. */
function sizeOf(inputs: number, recipients: readonly string[]): bigint {
  const outputs = recipients.reduce((sum, address) => sum + 9 + toScript(address).length / 2, 0);
  const base = 8 + (inputs < 253 ? 1 : 3) + 1 + 41 * inputs + outputs;
  return BigInt(Math.ceil((4 * base + 2 + 108 * inputs) / 4));
}

/** Size of an input in virtual bytes; coins worth less than their input's fee are not spent. */
export const inputSize = 68n;

/** BIP-125: it may be replaced by one that pays more. */
const sequence = 0xfffffffd;

/** The transaction; every one that spends the same coins excludes all others that do. */
export function buildPayment(
  from: string,
  { to }: Payment,
  coins: readonly Coin[],
  { paid, change }: PaymentPlan,
): Unsigned {
  const tx = new Transaction({ allowUnknownOutputs: true });
  for (const { txid, vout } of coins) tx.addInput({ txid, index: vout, sequence });
  tx.addOutput({ script: hexToBytes(toScript(to)), amount: paid });
  if (change > 0n) tx.addOutput({ script: hexToBytes(toScript(from)), amount: change });
  // BIP-143: what is signed for a key hash names the script that pays to it.
  const code = hexToBytes(`76a914${toScript(from).slice(4)}88ac`);
  return {
    payloads: coins.map(({ amount }, index) => tx.preimageWitnessV0(index, code, SigHash.ALL, amount)),
    finish(signatures) {
      for (const [index, signature] of signatures.entries())
        tx.updateInput(index, { finalScriptWitness: toWitness(signature) }, true);
      return { hash: tx.id, raw: tx.hex, validUntil: null };
    },
  };
}

function toWitness({ bytes, publicKey }: Signature): Uint8Array[] {
  const der = secp256k1.Signature.fromBytes(bytes, 'compact').toBytes('der');
  return [Uint8Array.of(...der, SigHash.ALL), secp256k1.Point.fromBytes(publicKey).toBytes(true)];
}

/** Stands in for signatures where a node shall only check everything else. */
export const placeholder: Signature = {
  bytes: Uint8Array.from({ length: 64 }, () => 1),
  yParity: 0,
  publicKey: secp256k1.Point.BASE.toBytes(false),
};

/** Worth of the outputs of a signed transaction, in all and to others. */
export function readOutputs(raw: string, from: string): { total: bigint; toOthers: bigint } {
  const ownScript = toScript(from);
  const { outputs } = RawTx.decode(hexToBytes(raw));
  const sum = (list: typeof outputs) => list.reduce((total, { amount }) => total + amount, 0n);
  return {
    total: sum(outputs),
    toOthers: sum(outputs.filter(({ script }) => bytesToHex(script) !== ownScript)),
  };
}

/** The text of a coin as the place of a transaction. */
export function toInput({ txid, vout, amount }: Coin): string {
  return `${txid}:${vout}:${amount}`;
}

export function readInput(input: string): Coin {
  const [txid = '', vout = '', amount = ''] = input.split(':');
  return { txid, vout: Number(vout), amount: BigInt(amount) };
}

import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import {
  Transaction as BitcoinTransaction,
  address as bitcoinAddress,
  networks,
  payments,
} from 'bitcoinjs-lib';
import * as sol from 'micro-sol-signer';
import { Transaction as ThorTransaction, address as thorAddress } from 'thor-devkit';
import { TronWeb, utils as tron } from 'tronweb';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { buildPayment, planPayment } from './bitcoin/payment.ts';
import { toScript } from './bitcoin/script.ts';
import { chains } from './chains.ts';
import { families } from './families.ts';
import { encodeMessage, encodeTransaction as encodeSolana } from './solana/message.ts';
import { encodeTransaction as encodeTron } from './tron/encodeTransaction.ts';
import { encodeTransaction as encodeThor } from './vechain/encodeTransaction.ts';

const rounds = 20;

/** What Vigil signs and shows, held to libraries that share no code for it. */
describe('encodings agree with another library', () => {
  const random = createRandom('encodings and other libraries');
  const bytes = (length: number) => Uint8Array.from({ length }, () => random.integer(0, 255));
  const hex = (length: number) => bytesToHex(bytes(length));
  const amount = (digits: number) => BigInt(`0x${hex(digits)}`) + 1n;
  const each = (check: () => void) => {
    for (let round = 0; round < rounds; round++) check();
  };

  it('Bitcoin: addresses, scripts, what is signed, and the signed transaction', () => {
    each(() => {
      const key = Uint8Array.of(...bytes(32), 1);
      const pubkey = secp256k1.getPublicKey(key.subarray(0, 32), true);
      const from = families.bitcoin.deriveAddress(key, chains.bitcoin);
      const own = payments.p2wpkh({ pubkey });
      expect(from).toBe(own.address);
      const to = random.pick([
        payments.p2pkh({ hash: bytes(20) }),
        payments.p2sh({ hash: bytes(20) }),
        payments.p2wpkh({ hash: bytes(20) }),
        payments.p2wsh({ hash: bytes(32) }),
      ]).address!;
      expect(toScript(to)).toBe(bytesToHex(bitcoinAddress.toOutputScript(to, networks.bitcoin)));
      const coins = Array.from({ length: random.integer(1, 5) }, (_, vout) => ({
        txid: hex(32),
        vout,
        amount: 100_000n + amount(3),
      }));
      const order = { to, sats: random.chance(0.5) ? 60_000n : undefined };
      const plan = planPayment(order, from, coins, 2000n)!;
      const unsigned = buildPayment(from, order, coins, plan);
      const signatures = unsigned.payloads.map((payload) => {
        const signature = secp256k1.sign(payload, key.subarray(0, 32), { prehash: false });
        return {
          bytes: signature,
          yParity: 0 as const,
          publicKey: secp256k1.getPublicKey(key.subarray(0, 32), false),
        };
      });
      const { hash, raw } = unsigned.finish(signatures);
      const read = BitcoinTransaction.fromHex(raw);
      expect(read.getId()).toBe(hash);
      expect(read.outs.map(({ value }) => value)).toEqual(
        plan.change > 0n ? [plan.paid, plan.change] : [plan.paid],
      );
      expect(BigInt(read.virtualSize())).toBeLessThanOrEqual(plan.vsize);
      const code = payments.p2pkh({ hash: own.hash! }).output!;
      for (const [index, coin] of coins.entries())
        expect(bytesToHex(unsigned.payloads[index]!)).toBe(
          bytesToHex(read.hashForWitnessV0(index, code, coin.amount, BitcoinTransaction.SIGHASH_ALL)),
        );
    });
  });

  it('Solana: addresses, and messages with every role of accounts', () => {
    each(() => {
      const keys = Array.from({ length: 3 }, () => bytes(32));
      const [payer, ...others] = keys.map((key) => families.solana.deriveAddress(key, chains.solana));
      expect([payer, ...others]).toEqual(keys.map((key) => sol.getAddress(key)));
      const accounts = Array.from({ length: 6 }, () => base58.encode(ed25519.getPublicKey(bytes(32))));
      const blockhash = base58.encode(bytes(32));
      const instructions = Array.from({ length: random.integer(1, 4) }, () => ({
        program: random.pick(accounts),
        accounts: [
          ...others.map((key) => ({ key, isSigner: true, isWritable: random.chance(0.5) })),
          ...accounts.slice(0, random.integer(1, 6)).map((key) => ({ key, isWritable: random.chance(0.5) })),
        ],
        data: bytes(random.integer(0, 100)),
      }));
      const { bytes: message, signers } = encodeMessage(payer!, blockhash, instructions);
      const byAddress = new Map(keys.map((key) => [sol.getAddress(key), key]));
      const signatures = signers.map((signer) => ed25519.sign(message, byAddress.get(signer)!));
      const raw = encodeSolana(signatures, message);
      sol.verifyTx(Buffer.from(raw).toString('base64'));
      const { msg } = sol.Transaction.decode(raw);
      expect(msg.feePayer).toBe(payer);
      expect(msg.blockhash).toBe(blockhash);
      const allAccounts = instructions.flatMap((instruction) => instruction.accounts);
      expect(
        msg.instructions.map(({ program, keys: named, data }) => ({
          program,
          data: bytesToHex(data),
          named,
        })),
      ).toEqual(
        instructions.map(({ program, accounts: own, data }) => ({
          program,
          data: bytesToHex(data),
          // An account has one role in a transaction, the strongest that any instruction gives it.
          named: own.map(({ key }) => ({
            address: key,
            sign: others.includes(key),
            write: allAccounts.some((other) => other.key === key && other.isWritable),
          })),
        })),
      );
    });
  });

  it('Tron: addresses, raw data and ids of transfers and calls', () => {
    each(() => {
      const key = bytes(32);
      const owner = families.tron.deriveAddress(key, chains.tron);
      expect(owner).toBe(TronWeb.address.fromPrivateKey(bytesToHex(key)));
      const ownHex = TronWeb.address.toHex(owner);
      const other = hex(20);
      const isCall = random.chance(0.5);
      const body = {
        refBlockBytes: hex(2),
        refBlockHash: hex(8),
        expiration: 1_800_000_000_000 + random.integer(0, 1_000_000),
        timestamp: 1_800_000_000_000,
        feeLimit: isCall ? amount(3) : 0n,
      };
      const [value, data] = [amount(4), hex(random.integer(4, 100))];
      const contract = isCall
        ? {
            type: 'TriggerSmartContract' as const,
            owner: `0x${ownHex.slice(2)}`,
            contract: `0x${other}`,
            value,
            data: `0x${data}`,
          }
        : {
            type: 'TransferContract' as const,
            owner: `0x${ownHex.slice(2)}`,
            to: `0x${other}`,
            amount: value,
          };
      const built = encodeTron({ ...body, contract });
      const parameter = isCall
        ? { owner_address: ownHex, contract_address: `41${other}`, call_value: Number(value), data }
        : { owner_address: ownHex, to_address: `41${other}`, amount: Number(value) };
      const json = {
        raw_data: {
          contract: [
            {
              type: contract.type,
              parameter: { value: parameter, type_url: `type.googleapis.com/protocol.${contract.type}` },
            },
          ],
          ref_block_bytes: body.refBlockBytes,
          ref_block_hash: body.refBlockHash,
          expiration: body.expiration,
          timestamp: body.timestamp,
          ...(isCall && { fee_limit: Number(body.feeLimit) }),
        },
      };
      const protocol = tron.transaction.txJsonToPb(json);
      expect(bytesToHex(built.rawData)).toBe(tron.transaction.txPbToRawDataHex(protocol).toLowerCase());
      expect(`0x${built.id}`).toBe(tron.transaction.txPbToTxID(protocol).toLowerCase());
    });
  });

  it('VeChain: addresses, what sender and payer sign, ids and the whole transaction', () => {
    each(() => {
      const [key, payerKey] = [bytes(32), bytes(32)];
      const origin = families.vechain.deriveAddress(key, chains.vechain);
      expect(origin.toLowerCase()).toBe(
        thorAddress.fromPublicKey(Buffer.from(secp256k1.getPublicKey(key, false))).toLowerCase(),
      );
      const isDelegated = random.chance(0.5);
      const body = {
        chainTag: random.integer(0, 255),
        blockRef: `0x${hex(8)}`,
        expiration: random.integer(1, 1000),
        clauses: Array.from({ length: random.integer(1, 4) }, () => ({
          to: random.chance(0.2) ? null : `0x${hex(20)}`,
          value: random.chance(0.3) ? 0n : amount(8),
          data: `0x${hex(random.integer(0, 60))}`,
        })),
        maxPriorityFeePerGas: amount(5),
        maxFeePerGas: amount(6),
        gas: amount(3),
        nonce: amount(8),
      };
      const built = encodeThor({ ...body, isDelegated });
      const other = new ThorTransaction({
        ...body,
        type: ThorTransaction.Type.DynamicFee,
        clauses: body.clauses.map((clause) => ({ ...clause, value: `0x${clause.value.toString(16)}` })),
        maxPriorityFeePerGas: `0x${body.maxPriorityFeePerGas.toString(16)}`,
        maxFeePerGas: `0x${body.maxFeePerGas.toString(16)}`,
        gas: `0x${body.gas.toString(16)}`,
        nonce: `0x${body.nonce.toString(16)}`,
        dependsOn: null,
        ...(isDelegated && { reserved: { features: 1 } }),
      });
      expect(bytesToHex(built.payload)).toBe(bytesToHex(other.signingHash()));
      const sign = (payload: Uint8Array, by: Uint8Array) => {
        const signature = secp256k1.sign(payload, by, { prehash: false, format: 'recovered' });
        return Uint8Array.of(...signature.subarray(1), signature[0]!);
      };
      const signatures = [sign(built.payload, key)];
      if (isDelegated) {
        const payload = built.payerPayload(origin);
        expect(bytesToHex(payload)).toBe(bytesToHex(other.signingHash(origin.toLowerCase())));
        signatures.push(sign(payload, payerKey));
      }
      const signed = built.finish(origin, Uint8Array.of(...signatures.flatMap((one) => [...one])));
      other.signature = Buffer.concat(signatures);
      expect(signed.raw).toBe(`0x${bytesToHex(other.encode())}`);
      expect(signed.id).toBe(other.id);
      expect(other.origin).toBe(origin.toLowerCase());
    });
  });
});

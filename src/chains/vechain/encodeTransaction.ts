import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import * as Rlp from 'ox/Rlp';

export type VeChainClause = { readonly to: string | null; readonly value: bigint; readonly data: string };

export type TransactionBody = {
  /** The last byte of the id of the network's first block, so that a transaction holds on one network only. */
  readonly chainTag: number;
  /** The first eight bytes of the id of a block; it counts from there. */
  readonly blockRef: string;
  /** For how many blocks after that one it may be included. */
  readonly expiration: number;
  readonly clauses: readonly VeChainClause[];
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gas: bigint;
  readonly nonce: bigint;
  /** Someone else pays the fee, and signs as well. */
  readonly isDelegated?: boolean;
};

const dynamicFeeType = 0x51;

/** A transaction with dynamic fees (VIP-252): what is signed, and how the signatures complete it. */
export function encodeTransaction(body: TransactionBody) {
  const members = [
    number(body.chainTag),
    number(BigInt(body.blockRef)),
    number(body.expiration),
    body.clauses.map(({ to, value, data }) => [hex(to ?? '0x'), number(value), hex(data)]),
    number(body.maxPriorityFeePerGas),
    number(body.maxFeePerGas),
    number(body.gas),
    // It depends on no other transaction.
    hex('0x'),
    number(body.nonce),
    body.isDelegated ? [number(1)] : [],
  ];
  const payload = hash(envelope(members));
  return {
    /** Hash that the sender signs. */
    payload,
    /** Hash that the payer of the fee signs: it includes the sender. */
    payerPayload: (origin: string) => hash(payload, hexToBytes(origin.slice(2))),
    /** The signatures of 65 bytes, one after the other. */
    finish(origin: string, signatures: Uint8Array): { id: string; raw: string } {
      const raw = envelope([...members, `0x${bytesToHex(signatures)}` as const]);
      return {
        id: `0x${bytesToHex(hash(payload, hexToBytes(origin.slice(2).toLowerCase())))}`,
        raw: `0x${bytesToHex(raw)}`,
      };
    },
  };
}

type Members = Parameters<typeof Rlp.fromHex>[0];

function envelope(members: Members): Uint8Array {
  return concatBytes(Uint8Array.of(dynamicFeeType), hexToBytes(Rlp.fromHex(members).slice(2)));
}

function hash(...parts: Uint8Array[]): Uint8Array {
  return blake2b(concatBytes(...parts), { dkLen: 32 });
}

/** Without zeros in front; zero itself is empty. */
function number(value: bigint | number): `0x${string}` {
  const digits = value === 0 || value === 0n ? '' : value.toString(16);
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}

function hex(text: string): `0x${string}` {
  return `0x${text.slice(2)}`;
}

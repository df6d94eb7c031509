import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

export type TronTransactionBody = {
  /** Bytes 6 and 7 of the id of a recent block (its number), and bytes 8 to 15: it holds on that branch only. */
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  /** Epoch milliseconds. */
  readonly expiration: number;
  readonly timestamp: number;
  readonly contract:
    | {
        readonly type: 'TransferContract';
        readonly owner: string;
        readonly to: string;
        readonly amount: bigint;
      }
    | {
        readonly type: 'TriggerSmartContract';
        readonly owner: string;
        readonly contract: string;
        readonly value: bigint;
        readonly data: string;
      };
  /** The most that energy may cost, in sun; of a transfer it means nothing. */
  readonly feeLimit: bigint;
};

/** The protocol's numbers of what a transaction does. */
const types = { TransferContract: 1, TriggerSmartContract: 31 } as const;

/**
 * The bytes that are signed (`raw_data`), written by hand: bytes that a node has built are never signed, because they may say
 * something else than what was asked for.
 */
export function encodeTransaction(body: TronTransactionBody) {
  const { contract } = body;
  const parameter = concatBytes(
    bytes(1, utf8ToBytes(`type.googleapis.com/protocol.${contract.type}`)),
    bytes(2, encodeContract(contract)),
  );
  const rawData = concatBytes(
    bytes(1, hexToBytes(body.refBlockBytes)),
    bytes(4, hexToBytes(body.refBlockHash)),
    number(8, BigInt(body.expiration)),
    bytes(11, concatBytes(number(1, BigInt(types[contract.type])), bytes(2, parameter))),
    number(14, BigInt(body.timestamp)),
    number(18, body.feeLimit),
  );
  const payload = sha256(rawData);
  return {
    rawData,
    /** The signed bytes, and the id of the transaction. */
    payload,
    id: bytesToHex(payload),
    /** The signature of 65 bytes. */
    finish: (signature: Uint8Array) => bytesToHex(concatBytes(bytes(1, rawData), bytes(2, signature))),
  };
}

function encodeContract(contract: TronTransactionBody['contract']): Uint8Array {
  if (contract.type === 'TransferContract')
    return concatBytes(
      bytes(1, account(contract.owner)),
      bytes(2, account(contract.to)),
      number(3, contract.amount),
    );
  return concatBytes(
    bytes(1, account(contract.owner)),
    bytes(2, account(contract.contract)),
    number(3, contract.value),
    bytes(4, hexToBytes(contract.data.slice(2))),
  );
}

function account(canonical: string): Uint8Array {
  return hexToBytes(`41${canonical.slice(2)}`);
}

/** Protocol buffers: a member with its number and length; what is empty or zero is left out. */
function bytes(member: number, value: Uint8Array): Uint8Array {
  if (value.length === 0) return value;
  return concatBytes(varint(BigInt(member * 8 + 2)), varint(BigInt(value.length)), value);
}

function number(member: number, value: bigint): Uint8Array {
  return value === 0n ? new Uint8Array() : concatBytes(varint(BigInt(member * 8)), varint(value));
}

/** Seven bits a byte, the lowest first. */
function varint(value: bigint): Uint8Array {
  const out: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 127n);
    if (rest < 128n) return Uint8Array.from([...out, low]);
    out.push(low | 128);
  }
}

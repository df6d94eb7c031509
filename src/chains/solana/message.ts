import { base58 } from '@scure/base';
import { concat } from '../../codecs/solana/borsh.ts';

export type AccountMeta = {
  readonly key: string;
  readonly isSigner?: boolean;
  readonly isWritable?: boolean;
};
export type Instruction = {
  readonly program: string;
  readonly accounts: readonly AccountMeta[];
  readonly data: Uint8Array;
};

/** The signed part of a legacy transaction: accounts by role, a recent blockhash, and the instructions. */
export function encodeMessage(
  payer: string,
  blockhash: string,
  instructions: readonly Instruction[],
): { bytes: Uint8Array; signers: string[] } {
  const roles = new Map([[payer, { isSigner: true, isWritable: true }]]);
  const add = ({ key, isSigner = false, isWritable = false }: AccountMeta) => {
    const cached = roles.get(key);
    roles.set(key, {
      isSigner: isSigner || cached?.isSigner === true,
      isWritable: isWritable || cached?.isWritable === true,
    });
  };
  for (const { program, accounts } of instructions) {
    accounts.forEach(add);
    add({ key: program });
  }
  // Signers first, and of each the writable ones; the payer stays the first of all, as sorting is stable.
  const rank = ({ isSigner, isWritable }: { isSigner: boolean; isWritable: boolean }) =>
    (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
  const sorted = [...roles].sort(([, a], [, b]) => rank(a) - rank(b));
  const keys = sorted.map(([key]) => key);
  const count = (wanted: number) => sorted.filter(([, role]) => rank(role) === wanted).length;
  const signers = keys.slice(0, count(0) + count(1));
  const bytes = concat(
    Uint8Array.of(signers.length, count(1), count(3)),
    compactLength(keys.length),
    ...keys.map((key) => base58.decode(key)),
    base58.decode(blockhash),
    compactLength(instructions.length),
    ...instructions.map(({ program, accounts, data }) =>
      concat(
        Uint8Array.of(keys.indexOf(program)),
        compactLength(accounts.length),
        Uint8Array.from(accounts, ({ key }) => keys.indexOf(key)),
        compactLength(data.length),
        data,
      ),
    ),
  );
  return { bytes, signers };
}

/** A transaction as it is sent: the signatures, in the order of the signers, and the message. */
export function encodeTransaction(signatures: readonly Uint8Array[], message: Uint8Array): Uint8Array {
  return concat(compactLength(signatures.length), ...signatures, message);
}

/** The recent blockhash of a transaction as it is sent, where both lengths before it take one byte, as of those that Vigil makes. */
export function blockhashOf(transaction: Uint8Array): string {
  const [signatures = 0] = transaction;
  const keysAt = 1 + 64 * signatures + 3;
  const keys = transaction[keysAt] ?? 0;
  if (keys > 127) throw new Error('The transaction has too many accounts.');
  const start = keysAt + 1 + 32 * keys;
  return base58.encode(transaction.slice(start, start + 32));
}

/** A length in groups of seven bits, the lowest first. */
function compactLength(length: number): Uint8Array {
  const bytes: number[] = [];
  let rest = length;
  do {
    bytes.push((rest & 127) | (rest > 127 ? 128 : 0));
    rest >>= 7;
  } while (rest > 0);
  return Uint8Array.from(bytes);
}

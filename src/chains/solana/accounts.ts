import { base58 } from '@scure/base';
import {
  loaderProgram,
  metadataProgram,
  token2022Program,
  tokenProgram,
} from '../../codecs/solana/programs.ts';
import { harmless } from '../../lib/harmless.ts';
import { amountOf, listOf, recordOf, textOf } from '../net/members.ts';
import { findProgramAddress } from './findProgramAddress.ts';

/** An account as nodes send it. */
export type SolanaAccount = { readonly owner: string; readonly lamports: bigint; readonly data: Buffer };

/** Null where there is no such account. */
export function readAccount(raw: unknown): SolanaAccount | null {
  if (raw === null) return null;
  const { owner, lamports, data } = recordOf(raw);
  const [text] = listOf(data, 'data');
  return {
    owner: textOf(owner, 'owner'),
    lamports: amountOf(lamports, 'lamports'),
    data: Buffer.from(textOf(text, 'data'), 'base64'),
  };
}

export type Mint = { readonly supply: bigint; readonly decimals: number };

const isTokens = ({ owner }: SolanaAccount) => owner === tokenProgram || owner === token2022Program;
/** Sizes of a mint and of a token account; extensions of Token-2022 follow. */
const mintSize = 82;
const tokenAccountSize = 165;

/** Undefined for an account of any other kind. */
export function readMint(account: SolanaAccount | null): Mint | undefined {
  if (!account || !isTokens(account) || account.data.length < mintSize) return undefined;
  if (account.data.length > mintSize && account.data[tokenAccountSize] !== 1) return undefined;
  return { supply: account.data.readBigUInt64LE(36), decimals: account.data.readUInt8(44) };
}

export function readTokenAccount(
  account: SolanaAccount | null,
): { mint: string; amount: bigint } | undefined {
  if (!account || !isTokens(account) || account.data.length < tokenAccountSize) return undefined;
  if (account.data.length > tokenAccountSize && account.data[tokenAccountSize] !== 2) return undefined;
  return { mint: base58.encode(account.data.subarray(0, 32)), amount: account.data.readBigUInt64LE(64) };
}

/** Address of the program's code, which its upgrade authority controls; undefined if it cannot be upgraded. */
export function readProgramData(account: SolanaAccount | null): string | undefined {
  if (account?.owner !== loaderProgram || account.data.length < 36) return undefined;
  return account.data.readUInt32LE() === 2 ? base58.encode(account.data.subarray(4, 36)) : undefined;
}

/** Address of the Metaplex account with the name of a token. */
export function metadataAddress(mint: string): string {
  return findProgramAddress(
    metadataProgram,
    Buffer.from('metadata'),
    base58.decode(metadataProgram),
    base58.decode(mint),
  );
}

const metadataExtension = 19;
const maxSymbolLength = 32;

/** The symbol of a token: in the mint itself (Token-2022), else in what Metaplex has; undefined where there is none. */
export function readSymbol(mint: SolanaAccount | null, metadata: SolanaAccount | null): string | undefined {
  const symbol = (mint && ownSymbol(mint.data)) ?? (metadata && metaplexSymbol(metadata));
  return symbol ? harmless(symbol, maxSymbolLength) || undefined : undefined;
}

/** Extensions follow one another: type, length, data. */
function ownSymbol(data: Buffer): string | undefined {
  for (let index = tokenAccountSize + 1; index + 4 <= data.length; ) {
    const [type, length] = [data.readUInt16LE(index), data.readUInt16LE(index + 2)];
    // Authority, mint, name, symbol.
    if (type === metadataExtension) return textsIn(data.subarray(index + 4, index + 4 + length), 64, 2)[1];
    index += 4 + length;
  }
  return undefined;
}

/** Kind, authority, mint, name, symbol. */
function metaplexSymbol({ owner, data }: SolanaAccount): string | undefined {
  return owner === metadataProgram ? textsIn(data, 65, 2)[1] : undefined;
}

/** Texts with their lengths before them; those of Metaplex are filled up with zeros. */
function textsIn(data: Buffer, start: number, count: number): string[] {
  const texts: string[] = [];
  let index = start;
  while (texts.length < count && index + 4 <= data.length) {
    const length = data.readUInt32LE(index);
    texts.push(
      data
        .subarray(index + 4, index + 4 + length)
        .toString('utf8')
        .replace(/\0+$/, ''),
    );
    index += 4 + length;
  }
  return texts;
}

import { encodeCall, parseFunction } from '../../codecs/evm/abi.ts';
import { decodeTransfer, type Erc20Transfer } from '../../codecs/evm/erc20Transfer.ts';
import { decimalsData, hasDecimals } from '../../codecs/evm/tokenMetadata.ts';
import type { Log } from '../../model/block.ts';
import type { Reader } from '../../model/detection.ts';

/**
 * Decodes a transfer that may be one of an amount or of a unique token. Early collections such as CryptoKitties index
 * nothing, so the id of the piece stands in the place of the amount.
 */
export function ambiguousTransfer(log: Log): Erc20Transfer | undefined {
  return log.indexed.length === 0 ? decodeTransfer(log) : undefined;
}

/** The question whose answer names the owner of a piece. */
export function ownerData(tokenId: bigint): string {
  return encodeCall(ownerOf, [tokenId]);
}

const ownerOf = parseFunction('ownerOf(uint256)(address)');

/**
 * True for a contract that has no decimals and names an owner of the piece. Some early tokens have no decimals either, and
 * a transfer of those must count.
 */
export function isUniqueToken(decimals: string | undefined, owner: string | undefined): boolean {
  if (hasDecimals(decimals) || owner?.length !== 66) return false;
  const address = BigInt(owner);
  return address > 0n && address >> 160n === 0n;
}

/** The same for a log, asked of the chain. Without an answer it counts as the transfer of an amount. */
export function movesUniqueToken(read: Reader, log: Log): boolean {
  const transfer = ambiguousTransfer(log);
  if (!transfer) return false;
  const [decimals, owner] = read.all([
    () => read.degradable(() => read.call(log.address, decimalsData)),
    () => read.degradable(() => read.call(log.address, ownerData(transfer.amount))),
  ]);
  const dataOf = (answer: typeof owner) => (answer && 'data' in answer ? answer.data : undefined);
  return decimals !== undefined && isUniqueToken(dataOf(decimals), dataOf(owner));
}

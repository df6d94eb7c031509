import { functionSelector, parseFunction, tryDecodeCall } from '../../codecs/evm/abi.ts';
import { decodeTransfer } from '../../codecs/evm/erc20Transfer.ts';
import { logWords, topicAddress } from '../../codecs/evm/words.ts';
import type { Transaction } from '../../model/block.ts';
import type { Observation, Reader } from '../../model/detection.ts';
import { observedCall } from '../../model/frames.ts';
import { type FlashLoan, flashLoanIn } from './flashLoanEvents.ts';
import { repaidLoans } from './repaidLoans.ts';

/** Loans of a transaction: by their events, by a call of the lender itself, or by what goes and comes back. */
export function flashLoansOf(transaction: Transaction, watched: string, read: Reader): FlashLoan[] {
  const loans = transaction.logs.flatMap((log) => flashLoanIn(log) ?? []);
  if (loans.length > 0) return loans;
  const direct = directLoan(transaction);
  return direct.length > 0 ? direct : repaidLoans(transaction, watched, read);
}

const directCall = functionSelector('flashLoan(address,address,uint256,bytes)');

function directLoan({ to, input, logs }: Transaction): FlashLoan[] {
  if (to === null || !input.startsWith(directCall)) return [];
  const [borrowerWord, tokenWord, amount] = logWords({ indexed: [], data: `0x${input.slice(10)}` });
  if (borrowerWord === undefined || tokenWord === undefined || amount === undefined) return [];
  const [borrower, token] = [topicAddress(borrowerWord), topicAddress(tokenWord)];
  // Without a transfer of the token, the call has failed.
  if (!logs.some((log) => log.address === token && decodeTransfer(log)?.to === borrower)) return [];
  return [{ provider: 'erc3156', lender: to, borrower, token, amount: BigInt(amount) }];
}

const swapCall = parseFunction('swap(uint256 out0, uint256 out1, address to, bytes data)');
export const swapCallKey = functionSelector('swap(uint256,uint256,address,bytes)');

/** A pair of Uniswap V2 that is called with data gives first and asks the recipient to pay afterwards, in either token. */
export function swapWithData(observation: Observation, pair: string): FlashLoan[] {
  const call = observedCall(observation);
  if (call?.to !== pair || call.key !== swapCallKey) return [];
  const [out0, out1, to] = logWords({ indexed: [], data: `0x${call.input.slice(10)}` });
  if (out0 === undefined || out1 === undefined || to === undefined) return [];
  // An input that is cut or unreadable is no plain swap either.
  if (tryDecodeCall(swapCall, call.input)?.data === '0x') return [];
  const side = BigInt(out0) > 0n ? 0 : 1;
  const amount = BigInt(side === 0 ? out0 : out1);
  return [{ provider: 'uniswap', lender: pair, borrower: topicAddress(to), amount, side }];
}

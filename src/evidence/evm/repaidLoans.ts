import { eventTopic } from '../../codecs/evm/abi.ts';
import { decodeTransfer } from '../../codecs/evm/erc20Transfer.ts';
import { zeroAddress } from '../../codecs/evm/words.ts';
import type { Log, Transaction } from '../../model/block.ts';
import type { Reader } from '../../model/detection.ts';
import { type FlashLoan, swap2 } from './flashLoanEvents.ts';

const maxCandidates = 5;

/**
 * Loans without an event: a contract gets tokens, or they are minted for it, something happens to the watched contract,
 * and then the same contract returns at least as many.
 */
export function repaidLoans({ from, logs }: Transaction, watched: string, read: Reader): FlashLoan[] {
  const lent = new Map<string, { amount: bigint; at: number }>();
  const touches = logs.filter(({ address, parties }) => address === watched || parties.includes(watched));
  const loans: FlashLoan[] = [];
  for (const log of touches.length === 0 ? [] : logs) {
    const transfer = decodeTransfer(log);
    if (!transfer || transfer.amount === 0n) continue;
    const loan = lent.get(`${log.address} ${transfer.to} ${transfer.from}`);
    const hasBetween = touches.some(({ index }) => loan && index > loan.at && index < log.index);
    if (loan && hasBetween && transfer.amount >= loan.amount)
      loans.push({
        provider: 'other',
        lender: transfer.to === zeroAddress ? log.address : transfer.to,
        borrower: transfer.from,
        token: log.address,
        amount: loan.amount,
      });
    else
      lent.set(`${log.address} ${transfer.from} ${transfer.to}`, { amount: transfer.amount, at: log.index });
  }
  const foreign = loans
    .filter(({ lender, borrower }) => ![lender, borrower].some((end) => end === watched || end === from))
    .filter(({ lender, token }) => !isTrade(logs, lender, token))
    .slice(0, maxCandidates);
  // Only contracts borrow and repay within a transaction.
  const codes = read.all(
    foreign.map(({ lender, borrower }) => () => [read.code(borrower), read.code(lender)]),
  );
  return foreign.filter((_, index) => codes[index]!.every((code) => code !== '0x'));
}

/** A pool that reports swaps and moved other tokens as well has traded there and back. */
function isTrade(logs: readonly Log[], pool: string, token: string | undefined): boolean {
  return (
    logs.some(({ address, key }) => address === pool && (key === swap2 || key === swap3)) &&
    logs.some((log) => {
      const transfer = log.address === token ? undefined : decodeTransfer(log);
      return transfer !== undefined && (transfer.from === pool || transfer.to === pool);
    })
  );
}

const swap3 = eventTopic('Swap(address,address,int256,int256,uint160,uint128,int24)');

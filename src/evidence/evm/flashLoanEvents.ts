import { eventTopic } from '../../codecs/evm/abi.ts';
import { logWords, topicAddress } from '../../codecs/evm/words.ts';
import type { Log } from '../../model/block.ts';

export const flashLoanProviders = ['aave', 'balancer', 'uniswap', 'morpho', 'erc3156', 'other'] as const;
export type FlashLoanProvider = (typeof flashLoanProviders)[number];

export type FlashLoan = {
  readonly provider: FlashLoanProvider;
  readonly lender: string;
  readonly borrower: string;
  /** The token, or undefined where only the pool knows it. */
  readonly token?: string;
  readonly amount: bigint;
  /** Selects one of the two tokens of a pool. */
  readonly side?: 0 | 1;
};

/** The loan that an event reports; undefined for any other log. */
export function flashLoanIn(log: Log): FlashLoan | undefined {
  if (log.key === swap2) return flashSwap(logWords(log), log.address);
  return events.get(log.key)?.(logWords(log), log.address);
}

export const swap2 = eventTopic('Swap(address,uint256,uint256,uint256,uint256,address)');

/** Encodings of a loan by event; the words are its values, indexed ones first. */
const events: ReadonlyMap<string, (words: readonly string[], lender: string) => FlashLoan | undefined> =
  new Map([
    // Aave V3 indexes target, asset and referral code; V2 target, initiator and asset; V1 target and reserve.
    loanEvent('aave', 'FlashLoan(address,address,address,uint256,uint8,uint256,uint16)', [0, 1, 4]),
    loanEvent('aave', 'FlashLoan(address,address,address,uint256,uint256,uint16)', [0, 2, 3]),
    loanEvent('aave', 'FlashLoan(address,address,uint256,uint256,uint256,uint256)', [0, 1, 2]),
    // The flash lender of Maker, an ERC-3156, has the same event as Balancer V2.
    loanEvent('balancer', 'FlashLoan(address,address,uint256,uint256)', [0, 1, 2]),
    loanEvent('morpho', 'FlashLoan(address,address,uint256)', [0, 1, 2]),
    // BentoBox of Sushi, Bancor V3, DODO
    loanEvent('other', 'LogFlashLoan(address,address,uint256,uint256,address)', [0, 1, 3]),
    loanEvent('other', 'FlashLoanCompleted(address,address,uint256,uint256)', [1, 0, 2]),
    [
      eventTopic('DODOFlashLoan(address,address,uint256,uint256)'),
      (words, lender) => decodeFlash('other', words, lender),
    ],
    [
      eventTopic('Flash(address,address,uint256,uint256,uint256,uint256)'),
      (words, lender) => decodeFlash('uniswap', words, lender),
    ],
  ]);

function loanEvent(
  provider: FlashLoanProvider,
  signature: string,
  [borrowerAt, tokenAt, amountAt]: readonly [number, number, number],
): [string, (words: readonly string[], lender: string) => FlashLoan | undefined] {
  return [
    eventTopic(signature),
    (words, lender) => {
      const [borrower, token, amount] = [words[borrowerAt], words[tokenAt], words[amountAt]];
      if (borrower === undefined || token === undefined || amount === undefined) return undefined;
      return {
        provider,
        lender,
        borrower: topicAddress(borrower),
        token: topicAddress(token),
        amount: BigInt(amount),
      };
    },
  ];
}

/** Amounts of both tokens of the pool, which the event does not name. */
function decodeFlash(
  provider: FlashLoanProvider,
  words: readonly string[],
  lender: string,
): FlashLoan | undefined {
  const [, recipient, amount0, amount1] = words;
  if (recipient === undefined || amount0 === undefined || amount1 === undefined) return undefined;
  const side = BigInt(amount0) > 0n ? 0 : 1;
  const amount = BigInt(side === 0 ? amount0 : amount1);
  return { provider, lender, borrower: topicAddress(recipient), amount, side };
}

/** A pair that gives a token and gets the same token back has lent it. */
function flashSwap(words: readonly string[], lender: string): FlashLoan | undefined {
  const [, to, ...amounts] = words;
  const [in0, in1, out0, out1] = amounts.map(BigInt);
  if (to === undefined || in0 === undefined || in1 === undefined || out0 === undefined || out1 === undefined)
    return undefined;
  const side = in0 > 0n && out0 > 0n ? 0 : in1 > 0n && out1 > 0n ? 1 : undefined;
  if (side === undefined) return undefined;
  return { provider: 'uniswap', lender, borrower: topicAddress(to), amount: side === 0 ? out0 : out1, side };
}

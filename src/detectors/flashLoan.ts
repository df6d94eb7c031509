import { type Static, Type } from 'typebox';
import { eventTopic, functionSelector, parseFunction } from '../chains/evm/abi/abi.ts';
import { logWords, topicAddress, zeroAddress } from '../chains/evm/abi/words.ts';
import { decodeTransfer } from '../chains/evm/evidence/erc20Transfer.ts';
import { tryCall } from '../chains/evm/evidence/readCall.ts';
import { assetFacts } from '../chains/evm/evidence/tokens.ts';
import { formatUnits, native, showAmount } from '../evidence/amounts.ts';
import { Configuration, InnerCalls } from '../evidence/parameters.ts';
import { showNumber } from '../lib/showNumber.ts';
import type { Log, Transaction } from '../model/block.ts';
import { defineDetector, type Reader } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const providers = ['aave', 'balancer', 'uniswap', 'morpho', 'erc3156', 'other'] as const;
type Provider = (typeof providers)[number];

const config = Configuration({
  providers: Type.Array(Type.Unsafe<Provider>({ type: 'string', enum: [...providers] }), {
    description: 'Kinds of lenders whose loans are reported.',
    default: [...providers],
    minItems: 1,
    uniqueItems: true,
  }),
  innerCalls: InnerCalls(),
});

type Loan = {
  readonly provider: Provider;
  readonly lender: string;
  readonly borrower: string;
  /** The token, or undefined where only the pool knows it. */
  readonly token?: string;
  readonly amount: bigint;
  /** Which of the two tokens of a pool. */
  readonly side?: 0 | 1;
};

/** How each event encodes a loan; the words are its values, indexed ones first. */
const events: ReadonlyMap<string, (words: readonly string[], lender: string) => Loan | undefined> = new Map([
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

const directCall = functionSelector('flashLoan(address,address,uint256,bytes)');

export const flashLoan = defineDetector<Static<typeof config>, never>({
  name: 'flash_loan',
  title: 'Flash loan',
  version: '1.0.0',
  category: 'SECURITY',
  families: evmDialect,
  severity: 'HIGH',
  description: 'A transaction that involves the contract takes a flash loan.',
  faq: 'Which loans does it see? Those of Aave, Balancer V2, Maker, Uniswap V3, Morpho, Sushi, Bancor and DODO by their events. ERC-3156, flash swaps and flash mints have no event of their own: such a loan is seen when the transaction calls the lender itself, or when a contract gets tokens, something happens to the watched contract, and the same contract gives at least as many back. The contract must be called by the transaction, emit a log in it, or be named in one; a silent inner call is seen where nodes of the chain trace calls, for loans that have an event.',
  nextStep:
    'See what the transaction did to your contract between loan and repayment. Pause the contract if the borrower left with more than it brought.',
  config,
  pending: true,
  fields: [
    'sender',
    'provider',
    'lender',
    'borrower',
    'token',
    'symbol',
    'value',
    'amount',
    'loans',
    'lenders',
  ],
  interests: ({ innerCalls }, { address }) => [{ on: 'touch', address, inner: innerCalls }],
  evaluate(observation, { config: options, contract, chain, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction } = observation;
    const loans = loansOf(transaction, contract.address, read).filter(({ provider }) =>
      options.providers.includes(provider),
    );
    const [first] = loans;
    if (!first) return {};
    const token = first.token ?? tokenOfPool(read, first);
    const facts =
      token === undefined ? undefined : assetFacts(read, chain, token === zeroAddress ? native : token);
    const shown = facts
      ? showAmount(first.amount, facts)
      : `${showNumber(first.amount)} smallest units of an unknown token`;
    const more = loans.length > 1 ? ` and ${loans.length - 1} more` : '';
    return {
      detections: [
        {
          message: `A transaction of ${transaction.from} that touches ${contract.name} took a flash loan of ${shown} from ${first.lender} (${first.provider})${more}.`,
          fields: {
            sender: transaction.from,
            provider: first.provider,
            lender: first.lender,
            borrower: first.borrower,
            token,
            symbol: facts?.symbol,
            value: first.amount,
            amount: facts && formatUnits(first.amount, facts.decimals),
            loans: loans.length,
            lenders: [...new Set(loans.map(({ lender }) => lender))].slice(0, maxLenders),
          },
        },
      ],
    };
  },
});

/** Anyone can write logs, so the evidence must not grow with them. */
const maxLenders = 10;

function loanEvent(
  provider: Provider,
  signature: string,
  [borrowerAt, tokenAt, amountAt]: readonly [number, number, number],
): [string, (words: readonly string[], lender: string) => Loan | undefined] {
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
function decodeFlash(provider: Provider, words: readonly string[], lender: string): Loan | undefined {
  const [, recipient, amount0, amount1] = words;
  if (recipient === undefined || amount0 === undefined || amount1 === undefined) return undefined;
  const side = BigInt(amount0) > 0n ? 0 : 1;
  const amount = BigInt(side === 0 ? amount0 : amount1);
  return { provider, lender, borrower: topicAddress(recipient), amount, side };
}

function loansOf(transaction: Transaction, watched: string, read: Reader): Loan[] {
  const loans = transaction.logs.flatMap((log) => toLoan(log) ?? []);
  if (loans.length > 0) return loans;
  const direct = directLoan(transaction);
  return direct.length > 0 ? direct : repaidLoans(transaction, watched, read);
}

const maxCandidates = 5;

/**
 * Loans that no event reports, by what a loan is: a contract gets tokens, or they are minted for it, then something happens to the
 * watched contract, and the same contract gives at least as many back.
 */
function repaidLoans({ from, logs }: Transaction, watched: string, read: Reader): Loan[] {
  const lent = new Map<string, { amount: bigint; at: number }>();
  const touches = logs.filter(({ address, parties }) => address === watched || parties.includes(watched));
  const loans: Loan[] = [];
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
    .slice(0, maxCandidates);
  // Only contracts borrow and repay within a transaction.
  const codes = read.all(
    foreign.map(({ lender, borrower }) => () => [read.code(borrower), read.code(lender)]),
  );
  return foreign.filter((_, place) => codes[place]!.every((code) => code !== '0x'));
}

function toLoan(log: Log): Loan | undefined {
  return events.get(log.key)?.(logWords(log), log.address);
}

function directLoan({ to, input, logs }: Transaction): Loan[] {
  if (to === null || !input.startsWith(directCall)) return [];
  const [borrowerWord, tokenWord, amount] = logWords({ indexed: [], data: `0x${input.slice(10)}` });
  if (borrowerWord === undefined || tokenWord === undefined || amount === undefined) return [];
  const [borrower, token] = [topicAddress(borrowerWord), topicAddress(tokenWord)];
  // Where the token did not move, the call has failed.
  if (!logs.some((log) => log.address === token && decodeTransfer(log)?.to === borrower)) return [];
  return [{ provider: 'erc3156', lender: to, borrower, token, amount: BigInt(amount) }];
}

const poolTokens = [parseFunction('token0()(address)'), parseFunction('token1()(address)')] as const;

function tokenOfPool(read: Reader, { lender, side = 0 }: Loan): string | undefined {
  const answer = tryCall(read, lender, poolTokens[side]);
  return 'failure' in answer ? undefined : String(answer.results[0]);
}

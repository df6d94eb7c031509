import { type Static, Type } from 'typebox';
import { eventTopic, functionSelector, parseFunction } from '../chains/evm/abi/abi.ts';
import { logWords, topicAddress, zeroAddress } from '../chains/evm/abi/words.ts';
import { decodeTransfer } from '../chains/evm/evidence/erc20Transfer.ts';

import { tryCall } from '../chains/evm/evidence/readCall.ts';
import { assetFacts } from '../chains/evm/evidence/tokens.ts';
import { formatUnits, native, showAmount } from '../evidence/amounts.ts';

import { Configuration } from '../evidence/parameters.ts';
import type { Log, Transaction } from '../model/block.ts';
import { defineDetector, type Reader } from '../model/detection.ts';

const providers = ['aave', 'balancer', 'uniswap', 'morpho', 'erc3156'] as const;
type Provider = (typeof providers)[number];

const config = Configuration({
  providers: Type.Array(Type.Unsafe<Provider>({ type: 'string', enum: [...providers] }), {
    description: 'Kinds of lenders whose loans are reported.',
    default: [...providers],
    minItems: 1,
    uniqueItems: true,
  }),
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
  [eventTopic('Flash(address,address,uint256,uint256,uint256,uint256)'), decodeFlash],
]);

const directCall = functionSelector('flashLoan(address,address,uint256,bytes)');

export const flashLoan = defineDetector<Static<typeof config>, never>({
  name: 'flash_loan',
  title: 'Flash loan',
  version: '1.0.0',
  category: 'SECURITY',
  severity: 'HIGH',
  description: 'A transaction that involves the contract takes a flash loan.',
  faq: 'Which loans does it see? Those of Aave, Balancer V2, Uniswap V3 and Morpho by their events. ERC-3156 has no event of its own: such a loan is seen when the lender emits one of these events, or when the transaction calls the lender itself. The contract must be called by the transaction, emit a log in it, or be named in one; a silent inner call is not seen.',
  config,
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
  interests: (_config, { address }) => [{ on: 'touch', address }],
  evaluate(observation, { config: options, contract, chain, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction } = observation;
    const loans = loansOf(transaction).filter(({ provider }) => options.providers.includes(provider));
    const [first] = loans;
    if (!first) return {};
    const token = first.token ?? tokenOfPool(read, first);
    const facts =
      token === undefined ? undefined : assetFacts(read, chain, token === zeroAddress ? native : token);
    const shown = facts ? showAmount(first.amount, facts) : `${first.amount} units`;
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

/** Uniswap V3: amounts of both tokens of the pool, which the event does not name. */
function decodeFlash(words: readonly string[], lender: string): Loan | undefined {
  const [, recipient, amount0, amount1] = words;
  if (recipient === undefined || amount0 === undefined || amount1 === undefined) return undefined;
  const side = BigInt(amount0) > 0n ? 0 : 1;
  const amount = BigInt(side === 0 ? amount0 : amount1);
  return { provider: 'uniswap', lender, borrower: topicAddress(recipient), amount, side };
}

function loansOf(transaction: Transaction): Loan[] {
  const loans = transaction.logs.flatMap((log) => toLoan(log) ?? []);
  return loans.length > 0 ? loans : directLoan(transaction);
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

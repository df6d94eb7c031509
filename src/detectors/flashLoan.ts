import { type Static, Type } from 'typebox';
import { eventTopic, functionSelector, parseFunction, tryDecodeCall } from '../codecs/evm/abi.ts';
import { decodeTransfer } from '../codecs/evm/erc20Transfer.ts';
import { logWords, topicAddress, zeroAddress } from '../codecs/evm/words.ts';
import { type AssetFacts, formatUnits, native, showAmount } from '../evidence/amounts.ts';
import { changesOf } from '../evidence/evm/losses.ts';
import { type Loss, lossOf, noLoss, showNotRead } from '../evidence/evm/lossOf.ts';
import { tryCall } from '../evidence/evm/readCall.ts';
import { assetFacts } from '../evidence/evm/tokens.ts';
import { usdWorth } from '../evidence/evm/usdWorth.ts';
import { severityByTrust, type Trust } from '../evidence/evm/vouchedBy.ts';
import { Configuration, InnerCalls, Percent } from '../evidence/parameters.ts';
import { lossMembers } from '../evidence/severityByLoss.ts';
import { showNumber } from '../lib/showNumber.ts';
import type { Block, Log, Transaction } from '../model/block.ts';
import {
  type ChainFacts,
  defineDetector,
  type EvaluationContext,
  type Observation,
  type Reader,
} from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { observedCall } from '../model/frames.ts';

const providers = ['aave', 'balancer', 'uniswap', 'morpho', 'erc3156', 'other'] as const;
type Provider = (typeof providers)[number];

const config = Configuration({
  providers: Type.Array(Type.Unsafe<Provider>({ type: 'string', enum: [...providers] }), {
    description: 'Kinds of lenders whose loans are reported.',
    default: [...providers],
    minItems: 1,
    uniqueItems: true,
  }),
  share: Percent('From which loss on it is HIGH, in per cent of what the contract held of an asset.', 5, 0.1),
  highUsd: lossMembers.highUsd,
  innerCalls: InnerCalls(),
});

type Loan = {
  readonly provider: Provider;
  readonly lender: string;
  readonly borrower: string;
  /** The token, or undefined where only the pool knows it. */
  readonly token?: string;
  readonly amount: bigint;
  /** Selects one of the two tokens of a pool. */
  readonly side?: 0 | 1;
};

/** A loan with what is known of its token; `isMoved` is false where no token moved as the loan says. */
type Judged = Loan & {
  readonly facts: AssetFacts | undefined;
  readonly usd: number;
  readonly isMoved: boolean;
};

/** Encodings of a loan by event; the words are its values, indexed ones first. */
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
  version: '1.2.0',
  category: 'SECURITY',
  families: evmDialect,
  recommendedFor: {
    POOL: () => ({ reason: 'It is a pool: attacks on its price begin with a loan.' }),
  },
  severity: 'AUTO',
  description:
    'A transaction that involves the contract takes a flash loan. HIGH when the contract has lost something by it, LOW otherwise.',
  faq: 'Which loans does it see? Those of Aave, Balancer V2, Maker, Uniswap V3, Morpho, Sushi, Bancor and DODO by their events. A swap of Uniswap V2 that takes and returns the same token is one, too. So is a swap with data of a pair of Uniswap V2 that is watched itself. ERC-3156, other flash swaps and flash mints have no event of their own: such a loan is seen when the transaction calls the lender itself, or when a contract gets tokens, something happens to the watched contract, and the same contract gives at least as many back. The contract must be called by the transaction, emit a log in it, or be named in one; a silent inner call is seen where nodes of the chain trace calls, for loans that have an event. Anyone can take a loan for the price of a transaction, so it is LOW unless the contract has less of an asset afterwards, by the share or the US dollars that are set: after what came in with a price, and of tokens without one those that it called itself. A loan that is reported but whose tokens did not move to a borrower and back is LOW, too.',
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
    'percent',
    'lostUsd',
    'unverified',
  ],
  interests: ({ innerCalls }, { address }) => [
    { on: 'touch', address, inner: innerCalls },
    { on: 'call', address, keys: [swapCallKey], inner: innerCalls },
  ],
  evaluate(observation, context) {
    if (observation.type !== 'transaction' && observation.type !== 'call') return {};
    const { config: options, contract, chain, read } = context;
    const { block, transaction } = observation;
    const seen = loansOf(transaction, contract.address, read);
    // Once for a transaction: what is seen by its events is reported with it.
    const isOnce = observation.type === 'transaction';
    const own = seen.length === 0 ? swapWithData(observation, contract.address) : isOnce ? seen : [];
    const loans = own.filter(({ provider }) => options.providers.includes(provider));
    const moved = movedAndReturned(transaction.logs);
    // Reports alone are cheap, so those whose tokens moved are judged first.
    const isSure = ({ token, amount }: Loan) => token !== undefined && moved.has(`${token} ${amount}`);
    const ranked = [...loans.filter(isSure), ...loans.filter((loan) => !isSure(loan))].slice(0, maxJudged);
    const judged = read
      .all(
        ranked.map(
          (loan) => () => judge(read, chain, block.timestamp, moved, withToken(read, transaction.logs, loan)),
        ),
      )
      .sort(byWorth);
    const [largest] = judged;
    if (!largest) return {};
    const { token, facts, amount, lender, provider, borrower, isMoved } = largest;
    const shown = facts
      ? showAmount(amount, facts)
      : `${showNumber(amount)} smallest units of an unknown token`;
    const more = loans.length > 1 ? ` and ${loans.length - 1} more` : '';
    const { loss, trust } = isMoved ? lossIn(context, block, transaction) : sure(noLoss);
    const isLoss = loss.percent >= options.share || (loss.usd ?? 0) >= options.highUsd || loss.notRead > 0;
    const lost = loss.assets
      .slice(0, 3)
      .map(({ change, facts: of, percent }) => `${showAmount(-change, of)} (${percent} %)`);
    const doubt = isMoved
      ? isLoss
        ? ` ${contract.name} lost ${lost.join(', ')}${showNotRead(loss)}.`
        : ''
      : ' Nothing but the lender says so: no such amount moved to a borrower and back.';
    return {
      detections: [
        {
          severity: isLoss ? severityByTrust('HIGH', trust) : 'LOW',
          message: `A transaction of ${transaction.from} that touches ${contract.name} took a flash loan of ${shown} from ${lender} (${provider})${more}.${doubt}`,
          fields: {
            sender: transaction.from,
            provider,
            lender,
            borrower,
            token,
            symbol: facts?.symbol,
            value: amount,
            amount: facts && formatUnits(amount, facts.decimals),
            loans: loans.length,
            lenders: [...new Set(loans.map((loan) => loan.lender))].slice(0, maxLenders),
            percent: isLoss ? loss.percent : undefined,
            lostUsd: isLoss && loss.usd !== undefined ? String(loss.usd) : undefined,
            unverified: isMoved ? undefined : true,
          },
        },
      ],
    };
  },
});

/**
 * Loss of the contract by the reports of its tokens and its coins before and after the block, and the evidence for it.
 */
function lossIn(
  context: EvaluationContext<Static<typeof config>, never>,
  block: Block,
  transaction: Transaction,
): { loss: Loss; trust: Trust } {
  const { contract, read } = context;
  const changes = changesOf(context, transaction, []);
  const [before, after] = read.all([
    () => read.balance(contract.address, 'parent'),
    () => read.balance(contract.address),
  ]);
  if (after !== before) changes.set(native, after - before);
  // One trace for all of them: a transaction can report that any number of tokens left.
  const calls = read.degradable(() => read.trace(transaction.hash));
  const called = calls
    ? new Set(
        calls.flatMap(({ type, from, to }) => (type === 'CALL' && from === contract.address ? [to] : [])),
      )
    : new Set([...changes.keys()].filter((asset) => asset !== native));
  const loss = lossOf(
    context,
    { transaction, at: block.timestamp, changes },
    { tokens: [], called, isDoubtful: false },
  );
  const [most] = loss.assets;
  const isSure = calls !== null || !most || most.usd !== undefined || most.asset === native;
  return { loss, trust: isSure ? 'known' : 'untraced' };
}

function sure(loss: Loss): { loss: Loss; trust: Trust } {
  return { loss, trust: 'known' };
}

/** Bounds the reads: a transaction can report any number of loans. */
const maxJudged = 20;

function judge(
  read: Reader,
  chain: ChainFacts,
  time: number,
  moved: ReadonlySet<string>,
  loan: Loan,
): Judged {
  const { token } = loan;
  const asset = token === zeroAddress ? native : token;
  const facts = asset === undefined ? undefined : assetFacts(read, chain, asset);
  const worth =
    asset === undefined || facts === undefined
      ? undefined
      : usdWorth(read, { token: asset, feed: undefined, chain, at: time }, loan.amount, facts.decimals).fields
          .usd;
  return {
    ...loan,
    facts,
    usd: Number(worth ?? 0),
    isMoved: token !== undefined && moved.has(`${token} ${loan.amount}`),
  };
}

/** Amounts, as `token amount`, that went somewhere and of which at least as much came back to the same place afterwards. */
function movedAndReturned(logs: readonly Log[]): ReadonlySet<string> {
  const moved = new Set<string>();
  const returned = new Map<string, bigint>();
  for (const log of logs.toReversed()) {
    const transfer = decodeTransfer(log);
    if (!transfer || transfer.from === transfer.to) continue;
    const { from, to, amount } = transfer;
    const back = returned.get(`${log.address} ${from}`) ?? 0n;
    if (back >= amount) moved.add(`${log.address} ${amount}`);
    const key = `${log.address} ${to}`;
    returned.set(key, (returned.get(key) ?? 0n) + amount);
  }
  return moved;
}

/** The largest first: loans that moved, then by dollars where prices are known, then by whole tokens. */
function byWorth(a: Judged, b: Judged): number {
  const whole = ({ amount, facts }: Judged) => Number(amount) / 10 ** (facts?.decimals ?? 18);
  return Number(b.isMoved) - Number(a.isMoved) || b.usd - a.usd || whole(b) - whole(a);
}

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
 * Loans without an event: a contract gets tokens, or they are minted for it, something happens to the watched contract,
 * and then the same contract returns at least as many.
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

const swap2 = eventTopic('Swap(address,uint256,uint256,uint256,uint256,address)');
const swap3 = eventTopic('Swap(address,address,int256,int256,uint160,uint128,int24)');

/** A pair that gives a token and gets the same token back has lent it. */
function flashSwap(words: readonly string[], lender: string): Loan | undefined {
  const [, to, ...amounts] = words;
  const [in0, in1, out0, out1] = amounts.map(BigInt);
  if (to === undefined || in0 === undefined || in1 === undefined || out0 === undefined || out1 === undefined)
    return undefined;
  const side = in0 > 0n && out0 > 0n ? 0 : in1 > 0n && out1 > 0n ? 1 : undefined;
  if (side === undefined) return undefined;
  return { provider: 'uniswap', lender, borrower: topicAddress(to), amount: side === 0 ? out0 : out1, side };
}

function toLoan(log: Log): Loan | undefined {
  if (log.key === swap2) return flashSwap(logWords(log), log.address);
  return events.get(log.key)?.(logWords(log), log.address);
}

const swapCall = parseFunction('swap(uint256 out0, uint256 out1, address to, bytes data)');
const swapCallKey = functionSelector('swap(uint256,uint256,address,bytes)');

/** A pair of Uniswap V2 that is called with data gives first and asks the recipient to pay afterwards, in either token. */
function swapWithData(observation: Observation, pair: string): Loan[] {
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

function directLoan({ to, input, logs }: Transaction): Loan[] {
  if (to === null || !input.startsWith(directCall)) return [];
  const [borrowerWord, tokenWord, amount] = logWords({ indexed: [], data: `0x${input.slice(10)}` });
  if (borrowerWord === undefined || tokenWord === undefined || amount === undefined) return [];
  const [borrower, token] = [topicAddress(borrowerWord), topicAddress(tokenWord)];
  // Without a transfer of the token, the call has failed.
  if (!logs.some((log) => log.address === token && decodeTransfer(log)?.to === borrower)) return [];
  return [{ provider: 'erc3156', lender: to, borrower, token, amount: BigInt(amount) }];
}

const poolTokens = [parseFunction('token0()(address)'), parseFunction('token1()(address)')] as const;

/** The token as the loan or the pool names it, else the one of which the lender gave exactly this amount. */
function withToken(read: Reader, logs: readonly Log[], loan: Loan): Loan {
  const token = loan.token ?? tokenOfPool(read, loan) ?? tokenGiven(logs, loan);
  return token === undefined ? loan : { ...loan, token };
}

/** Undefined where several tokens report such a transfer: one of them may be made up. */
function tokenGiven(logs: readonly Log[], { lender, amount }: Loan): string | undefined {
  const given = logs.filter((log) => {
    const transfer = decodeTransfer(log);
    return transfer?.from === lender && transfer.amount === amount;
  });
  const [token, ...others] = new Set(given.map(({ address }) => address));
  return others.length === 0 ? token : undefined;
}

function tokenOfPool(read: Reader, { lender, side = 0 }: Loan): string | undefined {
  const answer = tryCall(read, lender, poolTokens[side]);
  return 'failure' in answer ? undefined : String(answer.results[0]);
}

import { type Static, Type } from 'typebox';
import { zeroAddress } from '../codecs/evm/words.ts';
import { type AssetFacts, formatUnits, native, showAmount } from '../evidence/amounts.ts';
import {
  type FlashLoan,
  type FlashLoanProvider,
  flashLoanProviders,
} from '../evidence/evm/flashLoanEvents.ts';
import { flashLoansOf, swapCallKey, swapWithData } from '../evidence/evm/flashLoans.ts';
import { movedAndReturned, withToken } from '../evidence/evm/loanTokens.ts';
import { changesOf } from '../evidence/evm/losses.ts';
import { type Loss, lossOf, noLoss, showNotRead } from '../evidence/evm/lossOf.ts';
import { assetFacts } from '../evidence/evm/tokens.ts';
import { usdWorth } from '../evidence/evm/usdWorth.ts';
import { severityByTrust, type Trust } from '../evidence/evm/vouchedBy.ts';
import { Configuration, InnerCalls, Percent } from '../evidence/parameters.ts';
import { lossMembers } from '../evidence/severityByLoss.ts';
import { showNumber } from '../lib/showNumber.ts';
import type { Block, Transaction } from '../model/block.ts';
import { type ChainFacts, defineDetector, type EvaluationContext, type Reader } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  providers: Type.Array(Type.Unsafe<FlashLoanProvider>({ type: 'string', enum: [...flashLoanProviders] }), {
    description: 'Kinds of lenders whose loans are reported.',
    default: [...flashLoanProviders],
    minItems: 1,
    uniqueItems: true,
  }),
  share: Percent('From which loss on it is HIGH, in per cent of what the contract held of an asset.', 5, 0.1),
  highUsd: lossMembers.highUsd,
  innerCalls: InnerCalls(),
});

/** A loan with what is known of its token; `isMoved` is false where no token moved as the loan says. */
type Judged = FlashLoan & {
  readonly facts: AssetFacts | undefined;
  readonly usd: number;
  readonly isMoved: boolean;
};

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
    const seen = flashLoansOf(transaction, contract.address, read);
    // Once for a transaction: what is seen by its events is reported with it.
    const isOnce = observation.type === 'transaction';
    const own = seen.length === 0 ? swapWithData(observation, contract.address) : isOnce ? seen : [];
    const loans = own.filter(({ provider }) => options.providers.includes(provider));
    const moved = movedAndReturned(transaction.logs);
    // Reports alone are cheap, so those whose tokens moved are judged first.
    const isSure = ({ token, amount }: FlashLoan) => token !== undefined && moved.has(`${token} ${amount}`);
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
    const isLarge = loss.percent >= options.share || (loss.usd ?? 0) >= options.highUsd;
    const isLoss = isLarge || loss.notRead > 0;
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
          severity: isLoss ? severityByTrust(isLarge ? 'HIGH' : 'MEDIUM', trust) : 'LOW',
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
  loan: FlashLoan,
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

/** The largest first: loans that moved, then by dollars where prices are known, then by whole tokens. */
function byWorth(a: Judged, b: Judged): number {
  const whole = ({ amount, facts }: Judged) => Number(amount) / 10 ** (facts?.decimals ?? 18);
  return Number(b.isMoved) - Number(a.isMoved) || b.usd - a.usd || whole(b) - whole(a);
}

/** Anyone can write logs, so the evidence must not grow with them. */
const maxLenders = 10;

import { type Static, Type } from 'typebox';
import { decodeTransfer } from '../codecs/evm/erc20Transfer.ts';
import { formatUnits, groupDigits, percentOf, showAmount } from '../evidence/amounts.ts';
import { findKnownFeed } from '../evidence/evm/knownFeeds.ts';
import { type Losses, ownerLosses } from '../evidence/evm/ownerLosses.ts';
import { type Pull, paymentsOfOthers, pullsFromStrangers } from '../evidence/evm/pulls.ts';
import { assetFacts, readSupply } from '../evidence/evm/tokens.ts';
import { usdFeedMember } from '../evidence/evm/usdWorth.ts';
import { judgeOrdinary, type Ordinary } from '../evidence/ordinary.ts';
import { Address, Addresses, Configuration, Percent } from '../evidence/parameters.ts';
import { severityByWorth, worthMembers } from '../evidence/severityByWorth.ts';
import { groupBy } from '../lib/groupBy.ts';
import { zip } from '../lib/zip.ts';
import { type Severity, severityOf } from '../model/alert.ts';
import type { Block, Frame, Transaction } from '../model/block.ts';
import type { ContractKind } from '../model/contractKinds.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
} from '../model/detection.ts';
import { coinChanges } from '../model/frames.ts';

const config = Configuration({
  tokens: Type.Array(
    Type.Object(
      { token: Address('Address of the token.'), usdFeed: usdFeedMember },
      { additionalProperties: false, required: ['token'] },
    ),
    {
      description:
        'Tokens that are worth something beside those with a known price: with a feed they count in US dollars, without one by their share of the supply. The contract itself counts where it is a token.',
      default: [],
      maxItems: 50,
    },
  ),
  ...worthMembers,
  minSupply: Percent(
    'Of a token without a price: the share of its supply in per cent from which on a loss is reported, as MEDIUM. HIGH from ten times as much, CRITICAL from a hundred times.',
    0.1,
    0.0001,
  ),
  allowed: Addresses(
    'Spenders and owners that are no concern, such as your own modules and accounts that others may collect from.',
    1000,
  ),
  transferProxies: Addresses(
    'Contracts that hold the allowances and pull for the contract, such as a conduit. Permit2 is known.',
    20,
  ),
});
type Config = Static<typeof config>;
type State = {
  /** Ordinary amounts, by spender and measure. */
  readonly series?: Readonly<Record<string, Ordinary>>;
  /** Frames were shown, so that logs need not be looked at. */
  readonly isTraced?: true;
};
type Series = NonNullable<State['series']>;
type Context = EvaluationContext<Config, State>;

/** Their own rules say what they are approved for. */
const holdsNoAllowances: ReadonlySet<ContractKind> = new Set([
  'ERC20',
  'ERC721',
  'ERC1155',
  'POOL',
  'PRICE_FEED',
]);

export const allowanceDrain = defineDetector<Config, State>({
  name: 'allowance_drain',
  title: 'Allowance drain',
  version: '1.0.0',
  category: 'SECURITY',
  families: ['evm'],
  recommendedFor: {
    SPENDER: () => ({
      reason:
        'It pulls tokens by allowances: a call that it can be talked into empties everyone who has approved it.',
    }),
    // Its code need not show it: what makes any call it is given pulls as well.
    CONTRACT: ({ kinds }) =>
      kinds.some((kind) => holdsNoAllowances.has(kind))
        ? undefined
        : {
            reason: 'Users may have approved it: who can talk it into a call empties all of them.',
          },
  },
  severity: 'AUTO',
  description:
    'A transaction pulls tokens by an allowance from someone who neither sent it nor stands on the way to the pull: the contract is the spender (a router that makes any call it is asked for), or the token. MEDIUM from 10,000 US dollars, HIGH from 100,000, CRITICAL from a million. Order books and batch auctions do it by design: what is ordinary for a spender is learned and not reported.',
  faq: 'What counts as a loss? What owners really had before the transaction and no longer have after it, less what they got for it, at known prices; borrowed and made-up tokens count nothing. What is ordinary? As soon as a spender has pulled so in five different hours of the last 30 days, only what is above three times its second largest hour is reported; before that, each time the sum of an hour doubles. Small pulls add up within an hour, but an hour below minUsd teaches nothing. What can a stranger do? Raise it only by moving as much money of his own, held since an earlier block, through a contract that pulls; and hide a theft only by doing so in five different hours before, each above a third of it, which is reported. Where no node traces, only owners without code count, and only in transactions sent to the spender itself.',
  nextStep:
    'Pause the contract and tell users to revoke their allowances at once: everyone who has approved it can be next.',
  config,
  pending: true,
  fields: [
    'sender',
    'spender',
    'usd',
    'supplyPercent',
    'inHour',
    'usual',
    'owners',
    'ownerCount',
    'assets',
    'recipients',
    'unverified',
    'notRead',
  ],
  interests: (_config, { address }) => [
    { on: 'trace', address },
    { on: 'touch', address },
  ],
  evaluate(observation, context) {
    const { config: settings, contract } = context;
    if (observation.type === 'trace') {
      const { block, transaction, frames } = observation;
      if (!showsCalls(transaction, frames)) return judgeUntraced(context, block, transaction, frames);
      const pulls = pullsFromStrangers(transaction, frames, settings.transferProxies);
      const judged = judge(context, block, transaction, frames, pulls.filter(isWatched(context)));
      return context.state?.isTraced
        ? judged
        : { ...judged, state: { ...(judged.state ?? context.state), isTraced: true } };
    }
    if (observation.type !== 'transaction') return {};
    const { block, transaction } = observation;
    if (context.state?.isTraced || !paymentsOfOthers(transaction).some(isWatched(context))) return {};
    // Frames are more precise, where nodes trace.
    const isTraced = context.read.degradable(() => context.read.trace(transaction.hash)) !== null;
    return isTraced || transaction.from === contract.address
      ? {}
      : judgeUntraced(context, block, transaction, []);
  },
});

/** Some nodes simulate without calls: a log of a contract that no frame enters gives that away. */
function showsCalls({ logs }: Transaction, frames: readonly Frame[]): boolean {
  const entered = new Set(frames.map(({ to }) => to));
  return logs.every(({ address }) => entered.has(address));
}

function isWatched({ config: { allowed }, contract: { address } }: Context) {
  const ignored = new Set(allowed);
  return ({ token, spender, owner }: Pull) =>
    (token === address || spender === address) && !ignored.has(owner) && !ignored.has(spender);
}

function namedTokens({ config: settings, contract }: Context): ReadonlySet<string> {
  return new Set([contract.address, ...settings.tokens.map(({ token }) => token.toLowerCase())]);
}

/** Accounts of a transaction whose code is looked at: first those whose tokens are worth something. */
const maxOwners = 50;

function judgeUntraced(
  context: Context,
  block: Block,
  transaction: Transaction,
  frames: readonly Frame[],
): EvaluationResult<State> {
  const { read, chain } = context;
  const named = namedTokens(context);
  const isCertain = ({ token }: Pull) => named.has(token) || findKnownFeed(chain.uid, token) !== undefined;
  const payments = paymentsOfOthers(transaction)
    .filter(isWatched(context))
    .sort((a, b) => Number(isCertain(b)) - Number(isCertain(a)));
  const owners = [...new Set(payments.map(({ owner }) => owner))].slice(0, maxOwners);
  const codes = read.all(owners.map((owner) => () => read.code(owner)));
  const accounts = new Set(zip(owners, codes).flatMap(([owner, code]) => (code === '0x' ? [owner] : [])));
  return judge(
    context,
    block,
    transaction,
    frames,
    payments.filter(({ owner }) => accounts.has(owner)),
  );
}

function judge(
  context: Context,
  block: Block,
  transaction: Transaction,
  frames: readonly Frame[],
  pulls: readonly Pull[],
): EvaluationResult<State> {
  const { config: settings, chain, read, state } = context;
  const before = state?.series ?? {};
  if (pulls.length === 0) return {};
  const feedOf = (token: string) =>
    settings.tokens.find((named) => named.token.toLowerCase() === token)?.usdFeed;
  const named = namedTokens(context);
  const isNamed = (token: string) => named.has(token);
  const world = { read, chain, feedOf, isNamed, block, transaction, coins: coinChanges(frames) };
  let after: Series = before;
  const detections: Detection[] = [];
  for (const [spender, spenderPulls] of groupBy(pulls, (pull) => pull.spender)) {
    const losses = ownerLosses(world, spenderPulls);
    const [worst] = measure(context, losses)
      .flatMap(({ what, value, least, severity }) => {
        const series = `${spender} ${what}`;
        const judged = judgeOrdinary(after[series] ?? {}, block.timestamp, value, least);
        after = { ...after, [series]: judged.after };
        return judged.isUnusual ? [{ what, value, ...judged, severity: severity(judged.sum) }] : [];
      })
      .sort((a, b) => severityOf[b.severity] - severityOf[a.severity]);
    if (worst) detections.push(toDetection(context, transaction, spender, losses, worst));
  }
  return { detections, ...(after !== before && { state: { ...state, series: prune(after) } }) };
}

type Measure = { what: string; value: number; least: number; severity: (sum: number) => Severity };

/** In dollars, and by its share of the supply for each token without a price. What only claims to be worth something is LOW. */
function measure(context: Context, { losses, usd }: Losses): Measure[] {
  const { config: settings, read } = context;
  const { minUsd, highUsd, criticalUsd, minSupply } = settings;
  const named = namedTokens(context);
  const unpriced = losses.filter((loss) => loss.usd === undefined);
  const shares = Array.from(groupBy(unpriced, ({ token }) => token)).flatMap(
    ([what, tokenLosses]): Measure[] => {
      if (!named.has(what)) return [];
      const amount = tokenLosses.reduce((sum, loss) => sum + loss.amount, 0n);
      const supply = read.optional(() => readSupply(read, what, 'parent')) ?? 0n;
      const value = supply === 0n ? 0 : percentOf(amount, supply);
      const severity = (sum: number) => severityByWorth(sum, 10 * minSupply, 100 * minSupply);
      return [{ what, value, least: minSupply, severity }];
    },
  );
  const inUsd = (sum: number) => severityByWorth(sum, highUsd, criticalUsd);
  const measures = [{ what: usdSeries, value: usd, least: minUsd, severity: inUsd }, ...shares].filter(
    ({ value }) => value > 0,
  );
  if (measures.length > 0 || unpriced.length === 0 || losses.length > unpriced.length) return measures;
  return [{ what: claims, value: 1, least: 1, severity: () => 'LOW' }];
}

const usdSeries = 'usd';
const claims = 'claims';

type Worst = { what: string; sum: number; usual: number | undefined; severity: Severity };

function toDetection(
  { contract, chain, read }: Context,
  { from: sender, logs }: Transaction,
  spender: string,
  { losses, usd, notRead }: Losses,
  { what, sum, usual, severity }: Worst,
): Detection {
  const owners = [...new Set(losses.map(({ owner }) => owner))];
  const assets = Array.from(groupBy(losses, ({ token }) => token))
    .slice(0, maxShown)
    .map(([asset, assetLosses]) => {
      const amount = assetLosses.reduce((all, loss) => all + loss.amount, 0n);
      return { asset, amount, facts: assetFacts(read, chain, asset) };
    });
  const isInUsd = what === usdSeries;
  const unit = isInUsd ? ' USD' : ' % of the supply';
  const worth = isInUsd ? ` (${groupDigits(String(Math.round(usd)))} USD)` : '';
  const shown = assets.slice(0, 3).map(({ amount, facts }) => showAmount(amount, facts));
  const who = spender === contract.address ? contract.name : spender;
  const from = owners.length === 1 ? owners[0]! : `${owners.length} accounts`;
  const habit =
    usual === undefined || what === claims
      ? ''
      : ` Usually it is at most ${groupDigits(String(usual))}${unit} in an hour.`;
  const doubt =
    what === claims
      ? ' Nothing but the tokens says so; name those that are worth something under tokens.'
      : '';
  const taken = new Set(owners);
  const recipients = logs.flatMap((log) => {
    const transfer = decodeTransfer(log);
    return transfer && taken.has(transfer.from) ? [transfer.to] : [];
  });
  return {
    severity,
    magnitude: what === claims ? 0 : sum,
    ...(spender !== contract.address && { part: spender }),
    message: `A transaction of ${sender} had ${who} pull ${shown.join(', ')}${worth} from ${from} that neither sent it nor took part in it.${habit}${doubt}`,
    fields: {
      sender,
      spender,
      usd: usd > 0 ? String(Math.round(usd * 100) / 100) : undefined,
      supplyPercent: isInUsd || what === claims ? undefined : sum,
      inHour: what === claims ? undefined : sum,
      usual: what === claims ? undefined : usual,
      owners: owners.slice(0, maxShown),
      ownerCount: owners.length,
      assets: assets.map(({ asset, amount, facts }) => ({
        asset,
        symbol: facts.symbol,
        amount: formatUnits(amount, facts.decimals),
      })),
      recipients: [...new Set(recipients)].slice(0, maxShown),
      unverified: what === claims ? true : undefined,
      notRead: notRead === 0 ? undefined : notRead,
    },
  };
}

const maxShown = 10;

/** A token has many spenders: those that ever pulled least are forgotten first. */
const maxSeries = 60;

function prune(all: Series): Series {
  const series = Object.entries(all);
  if (series.length <= maxSeries) return all;
  const largest = ([name, { hours }]: (typeof series)[number]) =>
    name.endsWith(claims) ? 0 : Math.max(...hours.map(([, sum]) => sum));
  return Object.fromEntries(series.sort((a, b) => largest(b) - largest(a)).slice(0, maxSeries));
}

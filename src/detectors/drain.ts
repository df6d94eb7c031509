import type { Static } from 'typebox';
import { decodeTransfer } from '../codecs/evm/erc20Transfer.ts';
import { native, percentOf, showAmount } from '../evidence/amounts.ts';
import { calledBy } from '../evidence/evm/calledBy.ts';
import { withoutKnownWorth } from '../evidence/evm/hasKnownWorth.ts';
import { pricedAssets } from '../evidence/evm/knownFeeds.ts';
import {
  assetsShown,
  changesOf,
  chooseAssets,
  joinCoins,
  type Standing,
  shareOf,
  standingOf,
  type Taken,
  type Valued,
  valuesOf,
} from '../evidence/evm/losses.ts';
import { type LostPieces, lostPieces } from '../evidence/evm/pieces.ts';
import { assetFacts, claimedHolding } from '../evidence/evm/tokens.ts';
import { severityByTrust, showTrust, type Trust } from '../evidence/evm/vouchedBy.ts';
import { wrappedCoinOf } from '../evidence/evm/wrappedCoins.ts';
import { Addresses, Configuration, Percent } from '../evidence/parameters.ts';
import { lossMembers, severityByLoss } from '../evidence/severityByLoss.ts';
import { zip } from '../lib/zip.ts';
import { type Severity, severityOf } from '../model/alert.ts';
import type { Frame, Transaction } from '../model/block.ts';
import { defineDetector, type EvaluationContext, type EvaluationResult } from '../model/detection.ts';

const config = Configuration({
  share: Percent('Share of the holdings in per cent that one transaction may take.', 20, 0.1),
  ...lossMembers,
  tokens: Addresses(
    'Tokens that the contract holds. They are always looked at, and count as holdings although the transaction does not move them.',
    50,
  ),
});
type Config = Static<typeof config>;

const fifth = 'a transaction that takes a fifth of all it holds is reported, also without an event.';

export const drain = defineDetector<Config, never>({
  name: 'drain',
  title: 'Drain',
  version: '1.1.0',
  category: 'SECURITY',
  families: ['evm'],
  recommendedFor: {
    CONTRACT: () => ({ reason: `It may hold coins and tokens: ${fifth}` }),
    ACCOUNT: () => ({ reason: `It is an account without code: ${fifth}` }),
  },
  severity: 'AUTO',
  description:
    'One transaction takes more than a share of what the contract holds: native coins that move within it, and tokens, all together where their prices are known. CRITICAL from half of the holdings on or 10 million US dollars, HIGH from a fifth or 1 million. Pieces of a collection (ERC-721) count by their number, from three at once on. Needs nodes that trace.',
  faq: 'Which tokens count? Those that you name, those with a known price (Chainlink’s, for the native coins and main tokens of the large chains), and those that the contract itself called in the transaction, if it names them in its code, its first storage slots or a function, or if someone gave them to it who neither made nor takes them. Any other token can claim to have been taken, or was made and given to be taken, so alone it is reported as LOW; name the tokens that the contract holds where others may move them (by approvals). How do assets add up? By their prices; what comes in lessens the loss only where it has a price, too. Without prices the asset with the largest share counts by itself. Coins and wrapped coins are one asset.',
  nextStep:
    'Open the trace and see who took it and by which function. Pause the contract, and warn those who hold the rest.',
  config,
  pending: true,
  fields: ['sender', 'percent', 'share', 'assets', 'usd', 'recipients', 'unverified', 'notRead'],
  interests: (_config, { address }) => [{ on: 'trace', address }],
  evaluate(observation, context) {
    if (observation.type !== 'trace') return {};
    const { transaction, frames, block } = observation;
    const { config: settings, contract, chain } = context;
    const changes = changesOf(context, transaction, frames);
    // A token that sells what it holds of itself has lost nothing that was worth something to others.
    const isOwn = (asset: string) => asset === contract.address && !settings.tokens.includes(asset);
    const lost = [...changes].flatMap(([asset, change]) => (change < 0n && !isOwn(asset) ? [asset] : []));
    const pieces = lostPieces(transaction.logs, contract.address).filter(
      ({ collection }) => !isOwn(collection),
    );
    if (lost.length === 0 && pieces.length === 0) return {};
    const standing = standingOf(settings.tokens, chain, calledBy(frames, contract.address));
    const taken = { transaction, frames, at: block.timestamp, changes };
    const certain = lost.filter((asset) => standing(asset) !== 'claimed');
    const survey = surveyLosses(context, taken, certain, standing);
    return (
      judge(context, taken, survey, standing) ??
      judgePieces(
        context,
        taken,
        pieces.filter(({ collection }) => standing(collection) !== 'claimed'),
        standing,
      ) ??
      judgeClaims(context, taken, [
        ...survey.worthless.map((asset) => ({ asset, trust: 'worthless' as const })),
        ...lost.flatMap((asset) =>
          standing(asset) === 'claimed' ? [{ asset, trust: 'claimed' as const }] : [],
        ),
      ])
    );
  },
});

type Survey = {
  lost: readonly string[];
  losses: readonly Valued[];
  notRead: readonly string[];
  worthless: readonly string[];
};

/** The losses of what the contract called itself, without tokens that a stranger can make up. */
function surveyLosses(
  context: EvaluationContext<Config, never>,
  taken: Taken,
  lost: readonly string[],
  standing: (asset: string) => Standing,
): Survey {
  const { looked, notRead } = chooseAssets(lost, standing);
  const losses = valuesOf(context, taken, looked);
  const doubted = losses.filter(
    ({ asset, percent, usd }) =>
      usd === undefined && standing(asset) === 'called' && percent >= context.config.share,
  );
  const worthless = withoutKnownWorth(
    context,
    [taken.transaction],
    doubted.map(({ asset }) => asset),
  );
  return {
    lost: lost.filter((asset) => !worthless.has(asset)),
    losses: losses.filter(({ asset }) => !worthless.has(asset)),
    notRead,
    worthless: [...worthless],
  };
}

/** Bounds the reads of what has no more than its own word. */
const maxClaimed = 20;

/** Undefined where the loss is too small. */
function judge(
  context: EvaluationContext<Config, never>,
  taken: Taken,
  { lost, losses, notRead, worthless }: Survey,
  standing: (asset: string) => Standing,
): EvaluationResult<never> | undefined {
  if (lost.length === 0) return undefined;
  const { config: settings, contract, chain } = context;
  const { transaction, frames, changes } = taken;
  const unread = new Set(notRead);
  const isLarge = losses.some(
    ({ percent, usd }) => percent >= settings.share || (usd?.change ?? 0) <= -settings.highUsd,
  );
  if (!isLarge && unread.size === 0) return undefined;
  const held = [native, wrappedCoinOf(chain.uid), ...pricedAssets(chain.uid), ...settings.tokens].flatMap(
    (asset) => asset?.toLowerCase() ?? [],
  );
  const gained = [...changes.keys()].filter(
    (asset) => standing(asset) !== 'claimed' && !lost.includes(asset),
  );
  const others = [...new Set([...held, ...gained])].filter(
    (asset) => !lost.includes(asset) && !worthless.includes(asset),
  );
  // An alert does not wait for what was not taken; a share of less is only larger.
  const valued = joinCoins(context, taken, [
    ...losses,
    ...valuesOf(context, taken, others, context.read.optional),
  ]);
  const { percent, usd } = shareOf(valued);
  const isReported = percent >= settings.share || (usd ?? 0) >= settings.highUsd;
  if (!isReported && unread.size === 0) return undefined;
  const rest = unread.size === 0 ? '' : ` It moved ${unread.size} more tokens, which were not looked at.`;
  const shown = valued
    .filter(({ change }) => change < 0n)
    .sort((a, b) => b.percent - a.percent)
    .slice(0, 3)
    .map(({ change, facts, percent: share }) => `${showAmount(-change, facts)} (${share} %)`);
  return {
    detections: [
      {
        severity: atLeast(
          isReported ? severityByLoss(percent, usd, settings) : 'LOW',
          unread.size > 0 ? 'MEDIUM' : 'LOW',
        ),
        magnitude: percent,
        message: isReported
          ? `A transaction of ${transaction.from} took ${percent} % of what ${contract.name} held: ${shown.join(', ')}.${rest}`
          : `A transaction of ${transaction.from} had ${contract.name} pay out ${lost.length} assets at once.${rest}`,
        fields: {
          sender: transaction.from,
          percent,
          share: settings.share,
          usd: usd === undefined ? undefined : String(usd),
          assets: assetsShown(valued),
          recipients: recipientsOf(transaction, frames, contract.address),
          notRead: unread.size === 0 ? undefined : unread.size,
        },
      },
    ],
  };
}

function atLeast(severity: Severity, least: Severity): Severity {
  return severityOf[severity] < severityOf[least] ? least : severity;
}

/** An owner may take one or two pieces of a few. */
const leastPieces = 3;

/** Pieces of a collection have no price, so they count by their number. Undefined where too few are gone. */
function judgePieces(
  context: EvaluationContext<Config, never>,
  { transaction }: Taken,
  pieces: readonly LostPieces[],
  standing: (asset: string) => Standing,
): EvaluationResult<never> | undefined {
  const { config: settings, contract, chain, read } = context;
  const many = pieces
    .filter(({ count }) => count >= leastPieces)
    .sort((a, b) => b.count - a.count)
    .slice(0, maxClaimed);
  const held = read.all(
    many.map(
      ({ collection }) =>
        () =>
          claimedHolding(read, collection, contract.address, 'parent'),
    ),
  );
  const large = zip(many, held).flatMap(([lost, before]) => {
    const percent = percentOf(BigInt(lost.count), before);
    return before > 0n && percent >= settings.share ? [{ ...lost, percent: Math.min(100, percent) }] : [];
  });
  const doubted = large.filter(({ collection }) => standing(collection) === 'called');
  const worthless = withoutKnownWorth(
    context,
    [transaction],
    doubted.map(({ collection }) => collection),
  );
  const trustOf = ({ collection }: LostPieces) => (worthless.has(collection) ? 'worthless' : 'known');
  const [worst, ...rest] = large.sort(
    (a, b) =>
      Number(worthless.has(a.collection)) - Number(worthless.has(b.collection)) || b.percent - a.percent,
  );
  if (!worst) return undefined;
  const { percent, count } = worst;
  const trust = trustOf(worst);
  const facts = assetFacts(read, chain, worst.collection);
  return {
    detections: [
      {
        severity: severityByTrust(severityByLoss(percent, undefined, settings), trust),
        magnitude: percent,
        message: `A transaction of ${transaction.from} took ${count} pieces of ${facts.symbol}, ${percent} % of those that ${contract.name} held.${showTrust(trust)}`,
        fields: {
          sender: transaction.from,
          percent,
          share: settings.share,
          assets: [worst, ...rest].map((lost) => ({
            asset: lost.collection,
            symbol: lost === worst ? facts.symbol : undefined,
            change: String(-lost.count),
            percent: lost.percent,
          })),
          recipients: worst.recipients.slice(0, maxRecipients),
          unverified: trust === 'known' ? undefined : true,
        },
      },
    ],
  };
}

/** Tokens that anyone could have made and given to the contract, so they count little. */
function judgeClaims(
  context: EvaluationContext<Config, never>,
  taken: Taken,
  claims: readonly { asset: string; trust: Trust }[],
): EvaluationResult<never> {
  const { config: settings, contract } = context;
  const { transaction, frames } = taken;
  const looked = claims.slice(0, maxClaimed);
  const [worst, ...rest] = valuesOf(
    context,
    taken,
    looked.map(({ asset }) => asset),
  )
    .filter(({ percent }) => percent >= settings.share)
    .sort((a, b) => b.percent - a.percent);
  if (!worst) return {};
  const { asset, change, facts, percent } = worst;
  const trust = looked.find((claim) => claim.asset === asset)?.trust ?? 'claimed';
  const amount = showAmount(-change, facts);
  return {
    detections: [
      {
        severity: 'LOW',
        magnitude: percent,
        message:
          trust === 'claimed'
            ? `The token ${asset} reports that a transaction of ${transaction.from} took ${percent} % of it from ${contract.name}: ${amount}.${showTrust(trust)}`
            : `A transaction of ${transaction.from} took ${percent} % of what ${contract.name} held of the token ${asset}: ${amount}.${showTrust(trust)}`,
        fields: {
          sender: transaction.from,
          percent,
          share: settings.share,
          assets: assetsShown([worst, ...rest]),
          recipients: recipientsOf(transaction, frames, contract.address),
          unverified: true,
          notRead: claims.length > maxClaimed ? claims.length - maxClaimed : undefined,
        },
      },
    ],
  };
}

const maxRecipients = 10;

/** Addresses that received assets directly from the contract. */
function recipientsOf({ logs }: Transaction, frames: readonly Frame[], address: string): string[] {
  const recipients = new Set<string>();
  const add = (to: string) => {
    if (recipients.size < maxRecipients) recipients.add(to);
  };
  for (const { from, to, value, isReverted } of frames)
    if (from === address && value > 0n && !isReverted) add(to);
  for (const log of logs) {
    const transfer = decodeTransfer(log);
    if (transfer?.from === address) add(transfer.to);
  }
  return [...recipients];
}

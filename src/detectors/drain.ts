import type { Static } from 'typebox';
import { decodeTransfer } from '../codecs/evm/erc20Transfer.ts';
import { native, percentOf, showAmount } from '../evidence/amounts.ts';
import { calledBy } from '../evidence/evm/calledBy.ts';
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
  valuesOf,
} from '../evidence/evm/losses.ts';
import { type LostPieces, lostPieces } from '../evidence/evm/pieces.ts';
import { assetFacts, claimedHolding } from '../evidence/evm/tokens.ts';
import { showTrust } from '../evidence/evm/vouchedBy.ts';
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
  faq: 'Which tokens count? Those that you name, those with a known price (Chainlink’s, for the native coins and main tokens of the large chains), and those that the contract itself called in the transaction. Any other token can claim to have been taken, so alone it is reported as LOW; name the tokens that the contract holds where others may move them (by approvals), or where it calls any token that it is given. How do assets add up? By their prices; what comes in lessens the loss only where it has a price, too. Without prices the asset with the largest share counts by itself. Coins and wrapped coins are one asset.',
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
    const detection = certain.length === 0 ? undefined : judge(context, taken, certain, standing);
    return (
      detection ??
      judgePieces(
        context,
        taken,
        pieces.filter(({ collection }) => standing(collection) !== 'claimed'),
      ) ??
      judgeClaims(
        context,
        taken,
        lost.filter((asset) => standing(asset) === 'claimed'),
      )
    );
  },
});

/** Bounds the reads of what has no more than its own word. */
const maxClaimed = 20;

/** Undefined where the loss is too small. */
function judge(
  context: EvaluationContext<Config, never>,
  taken: Taken,
  lost: readonly string[],
  standing: (asset: string) => Standing,
): EvaluationResult<never> | undefined {
  const { config: settings, contract, chain } = context;
  const { transaction, frames, changes } = taken;
  const { looked, notRead } = chooseAssets(lost, standing);
  const unread = new Set(notRead);
  const losses = valuesOf(context, taken, looked);
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
    (asset) => !looked.includes(asset) && !unread.has(asset),
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
          unread.size > 0 ? 'HIGH' : 'LOW',
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
  const [worst, ...rest] = zip(many, held)
    .flatMap(([lost, before]) => {
      const percent = percentOf(BigInt(lost.count), before);
      return before > 0n && percent >= settings.share ? [{ ...lost, percent: Math.min(100, percent) }] : [];
    })
    .sort((a, b) => b.percent - a.percent);
  if (!worst) return undefined;
  const { percent, count } = worst;
  const facts = assetFacts(read, chain, worst.collection);
  return {
    detections: [
      {
        severity: severityByLoss(percent, undefined, settings),
        magnitude: percent,
        message: `A transaction of ${transaction.from} took ${count} pieces of ${facts.symbol}, ${percent} % of those that ${contract.name} held.`,
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
        },
      },
    ],
  };
}

/** Tokens that nothing but their own logs and balances says were taken: anyone can make such a token, so they count little. */
function judgeClaims(
  context: EvaluationContext<Config, never>,
  taken: Taken,
  claimed: readonly string[],
): EvaluationResult<never> {
  const { config: settings, contract } = context;
  const { transaction, frames } = taken;
  const [worst, ...rest] = valuesOf(context, taken, claimed.slice(0, maxClaimed))
    .filter(({ percent }) => percent >= settings.share)
    .sort((a, b) => b.percent - a.percent);
  if (!worst) return {};
  const { asset, change, facts, percent } = worst;
  return {
    detections: [
      {
        severity: 'LOW',
        magnitude: percent,
        message: `The token ${asset} reports that a transaction of ${transaction.from} took ${percent} % of it from ${contract.name}: ${showAmount(-change, facts)}.${showTrust('claimed')}`,
        fields: {
          sender: transaction.from,
          percent,
          share: settings.share,
          assets: assetsShown([worst, ...rest]),
          recipients: recipientsOf(transaction, frames, contract.address),
          unverified: true,
          notRead: claimed.length > maxClaimed ? claimed.length - maxClaimed : undefined,
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

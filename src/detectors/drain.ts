import { type Static, Type } from 'typebox';
import { decodeTransfer } from '../chains/evm/evidence/erc20Transfer.ts';
import { assetFacts, claimedHolding } from '../chains/evm/evidence/tokens.ts';
import { usdWorth } from '../chains/evm/evidence/usdWorth.ts';
import { type AssetFacts, formatUnits, native, percentOf, showAmount } from '../evidence/amounts.ts';
import { Addresses, Configuration } from '../evidence/parameters.ts';
import { severityByShare } from '../evidence/severityByShare.ts';
import type { Frame, Transaction } from '../model/block.ts';
import { type ChainFacts, defineDetector, type Reader } from '../model/detection.ts';
import { coinChangeOf } from '../model/frames.ts';

const config = Configuration({
  share: Type.Number({
    description: 'Share of the holdings in per cent that one transaction may take.',
    default: 20,
    minimum: 0.1,
    maximum: 100,
  }),
  tokens: Addresses('Tokens that count as holdings although the transaction does not move them.', 50),
});

export const drain = defineDetector<Static<typeof config>, never>({
  name: 'drain',
  title: 'Drain',
  version: '1.0.0',
  category: 'SECURITY',
  families: ['evm'],
  severity: 'AUTO',
  description:
    'One transaction takes more than a share of what the contract holds: native coins that move within it, and tokens, all together where their prices are known. CRITICAL from half of the holdings on, HIGH from a fifth. Needs nodes that trace.',
  faq: 'How do assets add up? By Chainlink’s prices, for the native coins and main tokens of the large chains; what comes in counts against what goes out. Without prices the asset with the largest share counts by itself, and less where another asset came in for it, as in a swap.',
  nextStep:
    'Open the trace and see who took it and by which function. Pause the contract, and warn those who hold the rest.',
  config,
  pending: true,
  fields: ['sender', 'percent', 'share', 'assets', 'usd', 'recipients'],
  interests: (_config, { address }) => [{ on: 'trace', address }],
  evaluate(observation, { config: settings, contract, chain, read }) {
    if (observation.type !== 'trace') return {};
    const { transaction, frames, block } = observation;
    const changes = changesOf(transaction, frames, contract.address);
    if (![...changes.values()].some((change) => change < 0n)) return {};
    const assets = [
      ...new Set([...changes.keys(), native, ...settings.tokens.map((token) => token.toLowerCase())]),
    ];
    const held = read.all(assets.map((asset) => () => heldBefore(read, asset, contract.address)));
    const moves = assets
      .map((asset, place) => ({ asset, held: held[place]!, change: changes.get(asset) ?? 0n }))
      // Any token can claim that the contract has paid; it pays only what it had, or what it got in between.
      .filter(({ held: before }) => before > 0n);
    if (!moves.some(({ change }) => change < 0n)) return {};
    const valued = read.all(moves.map((move) => () => inDollars(read, chain, block.timestamp, move)));
    const { percent, isSwap } = shareOf(valued);
    if (percent < settings.share) return {};
    const lost = valued.filter(({ change }) => change < 0n).sort((a, b) => b.percent - a.percent);
    const shown = lost
      .slice(0, 3)
      .map(({ change, facts, percent: own }) => `${showAmount(-change, facts)} (${own} %)`);
    return {
      detections: [
        {
          severity: isSwap ? 'MEDIUM' : severityByShare(percent),
          magnitude: percent,
          message: `A transaction of ${transaction.from} took ${percent} % of what ${contract.name} held: ${shown.join(', ')}.`,
          fields: {
            sender: transaction.from,
            percent,
            share: settings.share,
            usd: lost.every(({ usd }) => usd !== undefined)
              ? String(lost.reduce((sum, { usd }) => sum + usd!.lost, 0))
              : undefined,
            assets: valued.map(({ asset, change, held: before, facts, percent: own }) => ({
              asset,
              symbol: facts.symbol,
              change: formatUnits(change, facts.decimals),
              held: formatUnits(before, facts.decimals),
              percent: own,
            })),
            recipients: recipientsOf(transaction, frames, contract.address),
          },
        },
      ],
    };
  },
});

/** Bounded, because anyone can make tokens. */
const maxAssets = 20;

/** What the contract has more or less of each asset after the transaction. */
function changesOf({ logs }: Transaction, frames: readonly Frame[], address: string): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  const coins = coinChangeOf(frames, address);
  if (coins) changes.set(native, coins);
  for (const log of logs) {
    const transfer = decodeTransfer(log);
    if (!transfer || transfer.from === transfer.to) continue;
    const sign = transfer.from === address ? -1n : transfer.to === address ? 1n : 0n;
    if (sign === 0n || (changes.size >= maxAssets && !changes.has(log.address))) continue;
    changes.set(log.address, (changes.get(log.address) ?? 0n) + sign * transfer.amount);
  }
  return changes;
}

function heldBefore(read: Reader, asset: string, holder: string): bigint {
  return asset === native ? read.balance(holder, 'parent') : claimedHolding(read, asset, holder, 'parent');
}

type Move = { asset: string; held: bigint; change: bigint };
type Valued = Move & { facts: AssetFacts; percent: number; usd: { lost: number; held: number } | undefined };

function inDollars(read: Reader, chain: ChainFacts, at: number, move: Move): Valued {
  const { asset: token, held, change } = move;
  const facts = assetFacts(read, chain, token);
  const whole = usdWorth(read, { token, feed: undefined, chain, at }, held, facts.decimals).fields.usd;
  const percent = change < 0n ? percentOf(-change, held) : 0;
  const worth = Number(whole);
  const usd =
    whole === undefined ? undefined : { held: worth, lost: (worth * Number(-change)) / Number(held) };
  return { ...move, facts, percent, usd };
}

/** Of everything where all prices are known, else of the asset that lost most. */
function shareOf(valued: readonly Valued[]): { percent: number; isSwap: boolean } {
  if (valued.every(({ usd }) => usd !== undefined)) {
    const held = valued.reduce((sum, { usd }) => sum + usd!.held, 0);
    const lost = valued.reduce((sum, { usd }) => sum + usd!.lost, 0);
    return { percent: held > 0 ? Math.round((lost / held) * 1_000_000) / 10_000 : 0, isSwap: false };
  }
  return {
    percent: Math.max(...valued.map(({ percent }) => percent)),
    isSwap: valued.some(({ change }) => change > 0n),
  };
}

const maxRecipients = 10;

/** Who got something of it straight from the contract. */
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

import { native } from '../../../evidence/amounts.ts';
import { addDecimal, type Decimal, formatDecimal, toDecimal } from '../../../lib/decimal.ts';
import type { KnownParty } from '../partiesOf.ts';
import type { TokenNaming } from '../readTokens.ts';
import type { TransactionDigest } from './digestTransaction.ts';
import type { IncidentLoss, LossAlert } from './sumLosses.ts';

export const flowSides = ['OURS', 'ATTACKER', 'OTHER'] as const;
type FlowSide = (typeof flowSides)[number];

type FlowNode = {
  address: string;
  side: FlowSide;
  name: string | null;
  contractId: number | null;
  tags: string[];
  /** Net change of each asset by all transactions of the picture. */
  net: { asset: string; symbol: string | null; amount: string }[];
};

type FlowEdge = {
  from: string;
  to: string;
  asset: string;
  symbol: string | null;
  amount: string;
  /** US dollars, where the evidence of a loss has a price of the asset. */
  usd: number | null;
  /** Value among the edges of the picture, from 0 to 1. */
  share: number;
  /** Transactions that moved it. */
  transactions: number;
  /** Reported by evidence alone, because no node shows the transaction, or because it did not happen. */
  isReported: boolean;
};

export type Flows = { nodes: FlowNode[]; edges: FlowEdge[]; leftOut: number };

type Input = {
  digests: readonly TransactionDigest[];
  /** Evidence of losses whose transactions have no digest. */
  reported: readonly LossAlert[];
  losses: readonly IncidentLoss[];
  usd: number | null;
  contracts: ReadonlyMap<number, { address: string }>;
  parties: ReadonlyMap<string, KnownParty>;
  attackers: ReadonlySet<string>;
  assets: ReadonlySet<string>;
  tokens: ReadonlyMap<string, TokenNaming>;
};

/** More than this is no picture any more. */
const maxEdges = 24;

type Edge = {
  from: string;
  to: string;
  asset: string;
  amount: Decimal;
  hashes: Set<string>;
  isReported: boolean;
};

/** The largest moves of the assets that matter. */
export function drawFlows(input: Input): Flows {
  const edges = new Map<string, Edge>();
  const add = (
    from: string,
    to: string,
    asset: string,
    amount: Decimal,
    hash: string,
    isReported: boolean,
  ) => {
    const key = `${from} ${to} ${asset}`;
    const edge = edges.get(key) ?? { from, to, asset, amount: zero, hashes: new Set(), isReported };
    edge.amount = addDecimal(edge.amount, amount);
    edge.hashes.add(hash);
    edges.set(key, edge);
  };
  for (const { moves, txHash } of input.digests)
    for (const { from, to, asset, amount } of moves)
      if (input.assets.has(asset))
        add(from, to, asset, toDecimal(amount, input.tokens.get(asset)?.decimals ?? 0), txHash, false);
  for (const { alert, loss } of oncePerLoss(input.reported)) {
    const from = input.contracts.get(alert.contractId)?.address;
    const [to = unknownParty] = loss.recipients;
    if (from)
      for (const { asset, amount } of loss.assets)
        add(from, to, asset.toLowerCase(), amount, alert.txHash ?? alert.uid, true);
  }
  return toPicture(input, [...edges.values()]);
}

/** Address of the picture for receivers that no evidence names. */
export const unknownParty = 'unknown';
const zero: Decimal = { units: 0n, scale: 0 };

/** Several detectors report the same loss: the one with the most assets is drawn. */
function oncePerLoss(reported: readonly LossAlert[]): LossAlert[] {
  const best = new Map<string, LossAlert>();
  for (const item of reported) {
    const { contractId, txHash, blockNumber } = item.alert;
    const key = `${contractId} ${txHash ?? blockNumber}`;
    const before = best.get(key);
    if (item.loss.assets.length > (before?.loss.assets.length ?? 0)) best.set(key, item);
  }
  return [...best.values()];
}

function toPicture(input: Input, all: readonly Edge[]): Flows {
  const price = pricesOf(input);
  const largest = new Map<string, number>();
  const numberOf = (edge: Edge) => Math.abs(Number(formatDecimal(edge.amount)));
  for (const edge of all) largest.set(edge.asset, Math.max(largest.get(edge.asset) ?? 0, numberOf(edge)));
  const usdOf = (edge: Edge) => {
    const each = price.get(edge.asset);
    return each === undefined ? undefined : numberOf(edge) * each;
  };
  const mostUsd = Math.max(0, ...all.flatMap((edge) => usdOf(edge) ?? []));
  const isPriced = mostUsd > 0 && all.every((edge) => price.has(edge.asset));
  // Without prices nothing says how assets compare, so that each is measured by its own largest move.
  const shareOf = (edge: Edge) =>
    isPriced ? usdOf(edge)! / mostUsd : numberOf(edge) / (largest.get(edge.asset) || 1);
  const ours = new Set(Array.from(input.contracts.values(), ({ address }) => address));
  const touches = ({ from, to }: Edge) =>
    Number(ours.has(from) || ours.has(to)) + Number(input.attackers.has(from) || input.attackers.has(to));
  const ranked = all
    .map((edge) => ({ edge, share: shareOf(edge), rank: touches(edge) }))
    .sort((a, b) => b.rank - a.rank || b.share - a.share);
  const shown = ranked.slice(0, maxEdges);
  const edges = shown.map(
    ({ edge, share }): FlowEdge => ({
      from: edge.from,
      to: edge.to,
      asset: edge.asset,
      symbol: symbolOf(input, edge.asset),
      amount: formatDecimal(edge.amount),
      usd: roundCents(usdOf(edge)),
      share: Math.round(share * 1000) / 1000,
      transactions: edge.hashes.size,
      isReported: edge.isReported,
    }),
  );
  return { nodes: toNodes(input, all, edges), edges, leftOut: ranked.length - shown.length };
}

/** US dollars of one whole token, by the losses: of one asset alone they are certain. */
function pricesOf({ losses, usd }: Input): Map<string, number> {
  const [only, ...others] = new Set(losses.map(({ asset }) => asset));
  const amount = losses.reduce((sum, loss) => sum + Number(loss.amount), 0);
  return only !== undefined && others.length === 0 && usd !== null && amount > 0
    ? new Map([[only, usd / amount]])
    : new Map();
}

function symbolOf({ tokens, losses }: Input, asset: string): string | null {
  return tokens.get(asset)?.symbol ?? losses.find((loss) => loss.asset === asset)?.symbol ?? null;
}

function toNodes(input: Input, all: readonly Edge[], edges: readonly FlowEdge[]): FlowNode[] {
  const addresses = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const net = new Map<string, Map<string, Decimal>>();
  const add = (address: string, asset: string, amount: Decimal) => {
    if (!addresses.has(address)) return;
    const sums = net.get(address) ?? new Map<string, Decimal>();
    sums.set(asset, addDecimal(sums.get(asset) ?? zero, amount));
    net.set(address, sums);
  };
  for (const { from, to, asset, amount } of all) {
    add(from, asset, { units: -amount.units, scale: amount.scale });
    add(to, asset, amount);
  }
  const ours = new Set(Array.from(input.contracts.values(), ({ address }) => address));
  return Array.from(addresses, (address): FlowNode => {
    const party = input.parties.get(address);
    const isOurs = ours.has(address) || party?.type === 'contract' || party?.type === 'wallet';
    return {
      address,
      side: isOurs ? 'OURS' : input.attackers.has(address) ? 'ATTACKER' : 'OTHER',
      name: party?.name ?? null,
      contractId: party?.contractId ?? null,
      tags: party?.tags.slice(0, 10) ?? [],
      net: Array.from(net.get(address) ?? [], ([asset, amount]) => ({
        asset,
        symbol: symbolOf(input, asset),
        amount: formatDecimal(amount),
      })).filter(({ amount }) => amount !== '0'),
    };
  });
}

function roundCents(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 100) / 100;
}

/** Assets that the picture shows: what was lost or lent, coins, and the tokens that the tenant watches. */
export function assetsThatMatter(
  losses: readonly IncidentLoss[],
  alerts: readonly { detectorSchemaName: string | null; meta: Readonly<Record<string, unknown>> }[],
  contracts: Iterable<{ address: string }>,
): Set<string> {
  const assets = new Set<string>([native]);
  for (const { asset } of losses) assets.add(asset);
  for (const { address } of contracts) assets.add(address);
  for (const { detectorSchemaName, meta } of alerts)
    if (detectorSchemaName === 'flash_loan' && meta.unverified !== true && typeof meta.token === 'string')
      assets.add(meta.token);
  return assets;
}

/** True where the contract has not less of the asset after the transaction than before. */
export function createUnchanged(
  digests: ReadonlyMap<string, TransactionDigest>,
  contracts: ReadonlyMap<number, { address: string }>,
) {
  return (contractId: number, asset: string, txHash: string | null): boolean => {
    const digest = txHash === null ? undefined : digests.get(txHash);
    const address = contracts.get(contractId)?.address;
    if (!digest || !address || (asset === native && !digest.isTraced)) return false;
    let sum = 0n;
    for (const move of digest.moves) {
      if (move.asset !== asset) continue;
      if (move.to === address) sum += move.amount;
      if (move.from === address) sum -= move.amount;
    }
    return sum >= 0n;
  };
}

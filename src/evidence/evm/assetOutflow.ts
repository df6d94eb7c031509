import { decodeTransfer, type Erc20Transfer, netOutflow } from '../../codecs/evm/erc20Transfer.ts';
import { zeroAddress } from '../../codecs/evm/words.ts';
import type { Block, Log } from '../../model/block.ts';
import type { ChainFacts, EvaluationContext, Observation, Reader } from '../../model/detection.ts';
import { native } from '../amounts.ts';
import type { OutflowState } from '../outflowState.ts';
import { findKnownFeed } from './knownFeeds.ts';
import { decodeMultiTransfers } from './multiTokens.ts';
import { isPoolTrade } from './poolTrades.ts';
import { claimedHolding, readHolding, tryHolding } from './tokens.ts';
import { type Trust, vouchedBy } from './vouchedBy.ts';
import { isWrappedCoin, ownWrapping, wrappedCoinOf, wrappingsIn } from './wrappedCoins.ts';

/** Without a token, every token that leaves; with an id, one id of a token with many. */
type Selection = { token?: string; tokenId?: string };
type Context = EvaluationContext<Selection, OutflowState>;

/** Outflow of an asset, and its balances around that. */
export type AssetOutflow = {
  asset: string;
  amount: bigint;
  before(): bigint;
  after(): bigint;
  /** The native balance to compare with next time, and the block whose wrappings it has in it. */
  balance?: string;
  wrappedAt?: number;
  /** Evidence for a discovered token. */
  trust?: Trust;
};

/** Undefined when nothing has changed. Coins that were wrapped have not left, and those that were unwrapped were there. */
export function nativeFall(
  { number, logs }: Block,
  { contract: { address }, chain, state, read }: Context,
): AssetOutflow | undefined {
  const before = state?.balance === undefined ? read.balance(address, 'parent') : BigInt(state.balance);
  const after = read.balance(address);
  const isCounted = state?.wrappedAt === number;
  const wrappings = isCounted
    ? []
    : wrappingsIn(logs).filter(
        ({ account, token }) => account === address && isWrappedCoin(read, chain, token),
      );
  const [first] = wrappings;
  if (state?.balance !== undefined && after === before && !first) return undefined;
  const ownWrapped = first ? ownWrapping(logs, first.token, address).own : 0n;
  const fall = before - after - ownWrapped;
  const wrapped = first ? (tryHolding(read, first.token, address, 'parent') ?? 0n) : 0n;
  return {
    asset: native,
    amount: fall > 0n ? fall : 0n,
    before: () => before + wrapped,
    after: () => before + wrapped - fall,
    balance: after.toString(),
    ...(first && { wrappedAt: number }),
  };
}

/** Undefined when the transaction takes nothing away, or was counted at its first transfer. */
export function tokenOutflow(
  { block, log, transaction }: Extract<Observation, { type: 'log' }>,
  { config, contract: { address }, chain, state, read }: Context,
): AssetOutflow | undefined {
  const asset = log.address;
  if (asset !== (config.token ?? asset)) return undefined;
  const moves = transfersOf(transaction.logs, asset, idOf(config)).filter(
    ({ from, to }) => from === address || to === address,
  );
  const amount = moves[0]?.index === log.index ? netOutflow(moves, address) : 0n;
  if (amount <= 0n || isPoolTrade(read, block, transaction, address, asset, amount)) return undefined;
  const isFound = config.token === undefined;
  const holding = (moment?: 'parent') =>
    isFound
      ? claimedHolding(read, asset, address, moment)
      : readHolding(read, asset, address, moment, idOf(config));
  const before = () => read.degradable(() => holding('parent'));
  // Any token can claim that the contract has paid; it pays only what it had.
  const flows = state?.tokens?.[asset];
  if (isFound && !flows && before() === 0n) return undefined;
  const trust = isFound
    ? flows?.trust === 'known'
      ? 'known'
      : trustIn(read, chain, block, asset, address, transaction.hash)
    : undefined;
  return {
    asset,
    amount,
    ...(trust && { trust }),
    // Without the state before the block, the outflow and the present balance are all that is known.
    before: () => before() ?? holding() + amount,
    after: () => holding(),
  };
}

function trustIn(
  read: Reader,
  chain: ChainFacts,
  block: Block,
  token: string,
  holder: string,
  transactionHash: string,
): Trust {
  return isPriced(chain, token) ? 'known' : vouchedBy(read, block, token, holder, [transactionHash]);
}

export function isPriced({ uid }: ChainFacts, token: string): boolean {
  return findKnownFeed(uid, token) !== undefined || token === wrappedCoinOf(uid);
}

/** Ids say nothing without their token. */
export function idOf({ token, tokenId }: Selection): bigint | undefined {
  return token === undefined || tokenId === undefined ? undefined : BigInt(tokenId);
}

type LoggedTransfer = Erc20Transfer & { readonly index: number };

/** Transfers of a token, or of one of its ids, by the logs; wrapped and unwrapped coins come from and go to no one. */
function transfersOf(logs: readonly Log[], asset: string, id: bigint | undefined): LoggedTransfer[] {
  const ofAsset = logs.filter(({ address }) => address === asset);
  if (id !== undefined)
    return ofAsset.flatMap((log) =>
      decodeMultiTransfers(log).flatMap((transfer) =>
        transfer.tokenId === id ? [{ ...transfer, index: log.index }] : [],
      ),
    );
  const transfers = ofAsset.flatMap((log) => {
    const transfer = decodeTransfer(log);
    return transfer ? [{ ...transfer, index: log.index }] : [];
  });
  const wrappings = wrappingsIn(ofAsset).map(({ account, amount, index }) =>
    amount > 0n
      ? { from: zeroAddress, to: account, amount, index }
      : { from: account, to: zeroAddress, amount: -amount, index },
  );
  return [...transfers, ...wrappings].sort((a, b) => a.index - b.index);
}

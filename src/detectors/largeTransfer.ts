import { type Static, Type } from 'typebox';
import { parseFunction } from '../codecs/evm/abi.ts';
import { decodeTransfer, type Erc20Transfer, transferTopic } from '../codecs/evm/erc20Transfer.ts';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import {
  compareToAmount,
  formatUnits,
  isWithoutContract,
  native,
  percentOf,
  showAmount,
} from '../evidence/amounts.ts';
import { assetMoves, coinMoves } from '../evidence/coinMoves.ts';
import { decodeMultiTransfers, multiTokenTopics } from '../evidence/evm/multiTokens.ts';
import { toNumber, tryCall } from '../evidence/evm/readCall.ts';
import { assetDecimalsIfKnown, assetFacts } from '../evidence/evm/tokens.ts';
import { movesUniqueToken } from '../evidence/evm/uniqueToken.ts';
import { usdFeedMember, usdWorth } from '../evidence/evm/usdWorth.ts';
import { ledgerOf } from '../evidence/ledgerOf.ts';
import { Amount, Choice, Configuration, InnerCalls } from '../evidence/parameters.ts';
import type { Inspection } from '../model/contractKinds.ts';
import {
  type Detection,
  defineDetector,
  type Interest,
  type Observation,
  type Reader,
} from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';

const config = Configuration(
  {
    threshold: Amount('Report transfers of at least this many whole tokens or coins.'),
    token: Type.Optional(
      Type.String({
        format: evmFormat.asset,
        description:
          'native, or the address of the token. Without it: the contract’s own token if it is one, native coins to or from it, and tokens of any kind that leave it.',
      }),
    ),
    direction: Choice(
      'Transfers to the contract, from it, or any; with `any` all transfers of its own token count.',
      ['in', 'out', 'any'],
      'any',
    ),
    usdFeed: usdFeedMember,
    innerCalls: InnerCalls(),
  },
  ['threshold'],
);

type Config = Static<typeof config>;
/** Decimals of the token, because comparing with the threshold needs them for every transfer. */
type State = { decimals: number };

export const largeTransfer = defineDetector<Config, State>({
  name: 'large_transfer',
  title: 'Large transfer',
  version: '1.0.0',
  category: 'FINANCIAL',
  families: [...evmDialect, 'bitcoin', 'solana', 'stellar', 'icp'],
  recommendedFor: {
    ERC20: recommendForToken,
    TOKEN: recommendForToken,
  },
  severity: 'LOW',
  description:
    'A single transfer of a token (ERC-20, one id of an ERC-1155, or SPL) or of native coins reaches a threshold.',
  faq: 'Does it see native coins that a contract pays out? Those that a transaction carries itself, and those that inner calls move where nodes of the chain trace calls; tvl_drop and outflow_rate see the fall of the balance anywhere.',
  nextStep:
    'Check that someone expected the transfer and knows the recipient. If not, pause the contract and look at what else the sender does.',
  config,
  pending: true,
  fields: ['from', 'to', 'token', 'symbol', 'amount', 'rawAmount', 'tokenId', 'threshold', 'usd'],
  interests({ token, direction, innerCalls }, { address }, chain) {
    if (!hasEvmDialect(chain.family)) return [{ on: 'touch', address }, ...ledgerOf(token, chain)];
    if (isWithoutContract(token)) return [{ on: 'touch', address }];
    const wanted = token ?? address;
    const interests: Interest[] = [];
    if (wanted === address && direction === 'any')
      interests.push({ on: 'log', address, keys: transferTopics });
    // Without a token also what leaves in any other.
    if (token === undefined ? direction !== 'in' : wanted !== native && wanted !== address)
      interests.push({ on: 'party', address, keys: transferTopics });
    else if (wanted !== native && direction !== 'any')
      interests.push({ on: 'party', address, keys: transferTopics });
    if (token !== undefined && wanted !== native) return interests;
    if (innerCalls) interests.push({ on: 'transfer', address, inner: true });
    if (direction !== 'out') interests.push({ on: 'call', address });
    if (direction !== 'in') interests.push({ on: 'sender', address });
    return interests;
  },
  evaluate(observation, context) {
    const { config: settings, contract, chain, state, read } = context;
    const wanted = settings.token ?? contract.address;
    const moves = movesOf(observation, contract.address).filter((move) =>
      isWanted(move, settings, contract.address),
    );
    let after: { state?: State } = {};
    const detections = moves.flatMap((move, index): Detection[] => {
      const isNative = move.token === native;
      if (observation.type === 'log' && movesUniqueToken(read, observation.log)) return [];
      const isTheOne = move.token === wanted;
      const decimals = isNative
        ? chain.decimals
        : ((isTheOne ? state?.decimals : undefined) ?? assetDecimalsIfKnown(read, chain, move.token));
      if (isTheOne && !isNative && !state && decimals !== undefined) after = { state: { decimals } };
      if (compareToAmount(settings.threshold, move.amount, () => decimals) < 0) return [];
      // A failed transaction has moved nothing; one with logs has not failed.
      if (isNative && 'transaction' in observation && !read.receipt(observation.transaction.hash).isSuccess)
        return [];
      // Any token can claim that the contract has paid; it pays only what it had.
      const held =
        isNative || isTheOne || !move.token.startsWith('0x')
          ? undefined
          : read.degradable(() => heldBefore(read, move));
      if (held === 0n) return [];
      const facts = assetFacts(read, chain, move.token);
      const shown = { ...facts, decimals: decimals ?? facts.decimals };
      const priced = {
        token: move.token,
        feed: isTheOne ? settings.usdFeed : undefined,
        chain,
        at: 'block' in observation ? observation.block.timestamp : 0,
      };
      const worth = usdWorth(read, priced, move.amount, shown.decimals);
      const detection = toDetection(move, shown, contract.name, settings.threshold, { held, worth });
      // One transaction can move several tokens.
      return [
        isNative || observation.type === 'log' ? detection : { ...detection, part: `${move.token} ${index}` },
      ];
    });
    return { ...after, detections };
  },
});

function recommendForToken({ facts: { totalSupply = '0', decimals = 0, symbol = 'tokens' } }: Inspection) {
  const share = BigInt(totalSupply) / 100n / 10n ** BigInt(decimals);
  if (share <= 0n) return undefined;
  return {
    config: { threshold: share.toString() },
    reason: `It is a token: a transfer of 1 % of the supply (${share} ${symbol}) is worth a look, though exchanges and pools move as much.`,
  };
}

const transferTopics = [transferTopic, ...multiTokenTopics];

type Moved = Erc20Transfer & { token: string; tokenId?: bigint };

function movesOf(observation: Observation, watched: string): Moved[] {
  if (observation.type === 'log') {
    const { log } = observation;
    const transfer = decodeTransfer(log);
    const transfers: Omit<Moved, 'token'>[] = transfer ? [transfer] : decodeMultiTransfers(log);
    return transfers.map((transfer) => ({ ...transfer, token: log.address }));
  }
  if (observation.type === 'transfer' && observation.frames) {
    const { from, to, amount } = observation.transfer;
    return from === null || to === null ? [] : [{ from, to, amount, token: native }];
  }
  if (observation.type !== 'transaction') return [];
  const { transaction } = observation;
  const moves = assetMoves(transaction, watched).map(({ asset, ...move }) => ({ ...move, token: asset }));
  if (transaction.parties) return moves;
  const coins = coinMoves(transaction, watched).map((move) => ({ ...move, token: native }));
  return [...coins, ...moves.filter(({ token }) => isWithoutContract(token))];
}

function isWanted({ token, from, to, amount }: Moved, settings: Config, address: string): boolean {
  if (amount === 0n) return false;
  const isFitting = settings.direction === 'any' || address === (settings.direction === 'in' ? to : from);
  if (settings.token !== undefined) return isFitting && token === settings.token;
  if (token === native || token === address) return isFitting;
  return from === address && settings.direction !== 'in';
}

const balanceOf = parseFunction('balanceOf(address)(uint256)');
const balanceOfId = parseFunction('balanceOf(address,uint256)(uint256)');

/** Amount of the token that the sender had; nothing where the token does not answer. */
function heldBefore(read: Reader, { token, from, tokenId }: Moved): bigint {
  const answer =
    tokenId === undefined
      ? tryCall(read, token, balanceOf, [from], 'parent')
      : tryCall(read, token, balanceOfId, [from, tokenId], 'parent');
  return 'results' in answer ? toNumber(answer.results) : 0n;
}

function toDetection(
  { from, to, amount, token, tokenId }: Moved,
  facts: { symbol: string; decimals: number },
  name: string,
  threshold: string,
  { held, worth }: { held: bigint | undefined; worth: ReturnType<typeof usdWorth> },
): Detection {
  const share = held ? `, ${percentOf(amount, held)} % of the ${showAmount(held, facts)} it held` : '';
  return {
    // In thresholds, so that transfers of different tokens compare.
    magnitude: Number(formatUnits(amount, facts.decimals)) / (Number(threshold) || 1),
    message: `${showAmount(amount, facts)}${worth.shown} moved from ${from} to ${to} (${name})${share}.`,
    fields: {
      from,
      to,
      token,
      symbol: facts.symbol,
      amount: formatUnits(amount, facts.decimals),
      rawAmount: amount,
      tokenId,
      threshold,
      ...worth.fields,
    },
  };
}

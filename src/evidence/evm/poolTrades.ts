import { eventTopic, parseFunction } from '../../codecs/evm/abi.ts';
import { wordAt } from '../../codecs/evm/words.ts';
import type { Block, Transaction } from '../../model/block.ts';
import type { Reader } from '../../model/detection.ts';
import { changesIn } from './pulls.ts';
import { tryCall } from './readCall.ts';
import { tryHolding } from './tokens.ts';

const swap2 = eventTopic('Swap(address,uint256,uint256,uint256,uint256,address)');
const swap3 = eventTopic('Swap(address,address,int256,int256,uint160,uint128,int24)');
const token0 = parseFunction('token0()(address)');
const token1 = parseFunction('token1()(address)');
const slot0 = parseFunction('slot0()(uint160)');
/** Fees and what other transactions of the block did. */
const tolerance = 1.02;

/**
 * True if a pool gave a token for its second token at its own price. Judged by real receipts, so a pool robbed by its
 * own swap is no trade.
 */
export function isPoolTrade(
  read: Reader,
  { logs: blockLogs }: Block,
  { logs, index }: Transaction,
  pool: string,
  asset: string,
  amount: bigint,
): boolean {
  const swaps = logs.filter(({ address, key }) => address === pool && (key === swap2 || key === swap3));
  const last = swaps.at(-1);
  if (!last) return false;
  const [first, second] = read
    .all([() => tryCall(read, pool, token0), () => tryCall(read, pool, token1)])
    .map((answer) => ('results' in answer ? String(answer.results[0]).toLowerCase() : ''));
  const counterAsset = asset === first ? second : asset === second ? first : undefined;
  if (!counterAsset) return false;
  const pools = new Set([pool]);
  const came = Number(changesIn(logs, pools).get(pool)?.get(counterAsset) ?? 0n);
  if (came <= 0) return false;
  const out = Number(amount);
  if (last.key === swap3) {
    const answer = tryCall(read, pool, slot0, [], 'parent');
    const roots = [wordAt(last.data, 2), 'results' in answer ? BigInt(String(answer.results[0])) : 0n];
    const prices = roots.filter((root) => root > 0n).map((root) => (Number(root) / 2 ** 96) ** 2);
    const rates = prices.map((price) => (asset === second ? price : 1 / price));
    return rates.length > 0 && out <= came * Math.max(...rates) * tolerance;
  }
  const earlier = changesIn(
    blockLogs.filter((log) => log.transactionIndex < index),
    pools,
  ).get(pool);
  const [held, heldOther] = read
    .all([
      () => tryHolding(read, asset, pool, 'parent'),
      () => tryHolding(read, counterAsset, pool, 'parent'),
    ])
    .map((holding, index) =>
      Number((holding ?? 0n) + (earlier?.get(index === 0 ? asset : counterAsset) ?? 0n)),
    );
  return out * (heldOther! + came) <= held! * came * tolerance;
}

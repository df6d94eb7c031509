import type { Static } from 'typebox';
import { eventTopic, parseFunction } from '../codecs/evm/abi.ts';
import { decodeTransfer } from '../codecs/evm/erc20Transfer.ts';
import {
  answersOf,
  isPriceQuestion,
  priceInAnswer,
  type Question,
  questionName,
} from '../codecs/evm/priceQuestions.ts';
import { wordAt } from '../codecs/evm/words.ts';
import { tryCall } from '../evidence/evm/readCall.ts';
import { readFrom } from '../evidence/evm/readFrom.ts';
import { claimedHolding, readSupply } from '../evidence/evm/tokens.ts';
import { Addresses, Configuration, Percent } from '../evidence/parameters.ts';
import { projectOf } from '../evidence/projectOf.ts';
import { zip } from '../lib/zip.ts';
import type { Block, Frame, Log, Transaction } from '../model/block.ts';
import { defineDetector, type Reader } from '../model/detection.ts';

const config = Configuration({
  limit: Percent(
    'By how many per cent a price must move away, and for the most part back.',
    10,
    0.1,
    1_000_000,
  ),
  stayLimit: Percent(
    'By how many per cent a price must move where it stays; 100: to twice or half of it.',
    100,
    0.1,
    1_000_000,
  ),
  pools: Addresses(
    'The pools that count, such as those that your contract takes prices from; none: all, as far as something vouches for them.',
    100,
  ),
});

type Config = Static<typeof config>;

export const priceManipulation = defineDetector<Config, never>({
  name: 'price_manipulation',
  title: 'Price manipulation',
  version: '1.2.0',
  category: 'SECURITY',
  families: ['evm'],
  recommendedFor: {
    ERC4626: () => ({
      reason: 'What its shares are worth may hang on the price of a pool that moves within one transaction.',
    }),
  },
  severity: 'AUTO',
  description:
    'Within one transaction that touches the contract the price of a pool moves by more than a limit and for the most part back: the contract was used at a false price (CRITICAL). A price that moves to twice or half of it and stays is HIGH. Sees pools with the events of Uniswap V2 and V3, and others by what they answer when they are asked for a price (virtual price, share price, rate, feed). Needs nodes that trace.',
  faq: 'Which pools count? Those that you name, the contract itself where it is a pool, those that it, or another contract that you watch in the same project, calls or reads on its way to a price, and those that hold at least a thousandth of the token where it is one. Anyone can make another pool and report any price in it, so that is LOW: name the pools that your contract hangs on where it does not read them in the same transaction.',
  nextStep:
    'Open the trace and see what the transaction did to your contract while the price was false. Pause what depends on the price of this pool.',
  config,
  pending: true,
  fields: [
    'sender',
    'pool',
    'movePercent',
    'restPercent',
    'limit',
    'stays',
    'priceBefore',
    'priceExtreme',
    'priceAfter',
    'pools',
    'question',
    'unverified',
  ],
  interests: (_config, { address }) => [{ on: 'trace', address }],
  evaluate(observation, context) {
    if (observation.type !== 'trace') return {};
    const { config: settings, contract, read } = context;
    const { transaction, frames, block } = observation;
    const named = new Set(settings.pools.map((pool) => pool.toLowerCase()));
    const prices = pricesByPool(transaction, named);
    const isProject = projectOf(contract);
    const { reached, isOwn: isOwnCall } = readFrom(frames, isProject);
    const isVouched = (pool: string) => named.has(pool) || isProject(pool) || reached.has(pool);
    const isOwn = (pool: string) => (named.size === 0 ? isVouched(pool) : named.has(pool));
    const traded = tradedWith(transaction, contract.address);
    const ranked = [...prices].sort(([a, before], [b, after]) => {
      const standing = Number(isVouched(b)) - Number(isVouched(a)) || traded(b) - traded(a);
      return standing === 0 ? spreadOf(after) - spreadOf(before) : standing;
    });
    const vouched = ranked.filter(([pool]) => isVouched(pool)).length;
    const looked = ranked.slice(0, Math.max(maxStrangers, Math.min(vouched, maxVouched)));
    const starts = read.all(
      looked.map(
        ([pool, steps]) =>
          () =>
            priceBefore(read, block, pool, steps[0]!),
      ),
    );
    const moves = looked.flatMap(([pool, steps], index) => judge(pool, starts[index], steps, settings));
    const trusts = read.all(
      moves.map(
        ({ pool }) =>
          () =>
            isVouched(pool) || holdsToken(read, contract.address, pool),
      ),
    );
    const answers = judgeAnswers(read, frames, isOwn, isOwnCall, settings).map((move) => ({
      move,
      isKnown: true,
    }));
    const judged = zip(moves, trusts)
      .map(([move, isKnown]): Found => ({ move, isKnown }))
      .concat(answers)
      .sort((a, b) => Number(b.isKnown) - Number(a.isKnown) || b.move.movePercent - a.move.movePercent);
    const [worst] = judged;
    if (!worst) return {};
    const { move, isKnown } = worst;
    const { pool, movePercent, restPercent, stays, question } = move;
    const how = stays
      ? `to ${restPercent} % of what it was, where it stayed`
      : `by ${movePercent} % and back to ${restPercent} % of where it was`;
    const doubt = isKnown
      ? ''
      : ` Nothing but the pool says so: ${contract.name} did not read it, and it is not named under pools.`;
    return {
      detections: [
        {
          severity: !isKnown ? 'LOW' : stays ? 'HIGH' : 'CRITICAL',
          magnitude: movePercent / settings.limit,
          message: `A transaction of ${transaction.from} that touches ${contract.name} moved ${question === undefined ? `the price of the pool ${pool}` : `what ${pool} answers to ${question}`} ${how}.${doubt}`,
          fields: {
            sender: transaction.from,
            ...move,
            stays: stays ? true : undefined,
            limit: settings.limit,
            pools: judged.slice(0, maxStrangers).map((stranger) => stranger.move.pool),
            unverified: isKnown ? undefined : true,
          },
        },
      ],
    };
  },
});

type Move = ReturnType<typeof judge>[number] & { question?: string };
type Found = { move: Move; isKnown: boolean };

/** Questions of one transaction whose former answer is asked for. */
const maxQuestions = 100;

/**
 * Other pools, vaults and feeds give prices when asked. Compares their answers before the block, in the transaction,
 * and after it, for contracts that the transaction called to change something.
 */
function judgeAnswers(
  read: Reader,
  frames: readonly Frame[],
  isOfInterest: (contract: string) => boolean,
  isOwnCall: (frame: Frame) => boolean,
  settings: Config,
) {
  const changed = new Set(
    frames.flatMap(({ type, to, input, isReverted }) =>
      type === 'CALL' && !isReverted && !isPriceQuestion(input) ? [to] : [],
    ),
  );
  const isChanged = (frame: Frame) => isOfInterest(frame.to) && changed.has(frame.to);
  // Anyone can ask as many questions as it likes, but not have the contract ask them.
  const keys = new Set(
    answersOf(frames, (frame) => isChanged(frame) && isOwnCall(frame)).map(
      ({ of, input }) => `${of} ${input}`,
    ),
  );
  const isOwn = ({ of, input }: Question) => keys.has(`${of} ${input}`);
  const asked = answersOf(frames, isChanged)
    .sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)))
    .slice(0, maxQuestions);
  const answerAt = ({ of, input }: Question, moment: 'parent' | 'block') => {
    const answer = read.optional(() => read.call(of, input, moment));
    return answer && 'data' in answer ? priceInAnswer(input, answer.data) : undefined;
  };
  const before = read.all(asked.map((question) => () => answerAt(question, 'parent')));
  const moved = zip(asked, before).flatMap(([question, price]) => {
    const first = price ?? question.prices[0]!;
    return question.prices.some((answer) => distance(answer, first) >= settings.limit)
      ? [{ question, first }]
      : [];
  });
  const after = read.all(
    moved.map(
      ({ question }) =>
        () =>
          answerAt(question, 'block'),
    ),
  );
  return zip(moved, after).flatMap(([{ question, first }, last]) => {
    const prices = [...question.prices, ...(last === undefined ? [] : [last])].map((value) => ({ value }));
    return judge(question.of, first, prices, settings).map((move) => ({
      ...move,
      question: questionName(question.input),
    }));
  });
}

/** Anyone can make pools, but only the contract chooses which it reads. */
const maxStrangers = 20;
const maxVouched = 100;

const tokens = [parseFunction('token0()(address)'), parseFunction('token1()(address)')];
const thousandth = 1000n;

/** True for a pool of the watched token that holds at least a thousandth of it: its price is one that others go by. */
function holdsToken(read: Reader, token: string, pool: string): boolean {
  const sides = read.all(tokens.map((side) => () => tryCall(read, pool, side)));
  const names = sides.map((answer) => ('results' in answer ? String(answer.results[0]).toLowerCase() : ''));
  if (!names.includes(token)) return false;
  const [held, supply] = read.all([
    () => claimedHolding(read, token, pool, 'parent'),
    () => read.optional(() => readSupply(read, token, 'parent')),
  ]);
  return supply !== undefined && held > 0n && held * thousandth >= supply;
}

type Price = { readonly value: number; readonly log: Log; readonly kind: 'v2' | 'v3' };

const sync = eventTopic('Sync(uint112,uint112)');
const swap3 = eventTopic('Swap(address,address,int256,int256,uint160,uint128,int24)');

/** The prices that pools report after each step of the transaction, in order. */
function pricesByPool({ logs }: Transaction, wanted: ReadonlySet<string>): Map<string, Price[]> {
  const pools = new Map<string, Price[]>();
  for (const log of logs) {
    if (wanted.size > 0 && !wanted.has(log.address)) continue;
    const price = priceIn(log);
    if (!price) continue;
    const prices = pools.get(log.address);
    if (prices) prices.push(price);
    else pools.set(log.address, [price]);
  }
  return pools;
}

function priceIn(log: Log): Price | undefined {
  try {
    const value =
      log.key === sync
        ? ratio(wordAt(log.data, 0), wordAt(log.data, 1))
        : log.key === swap3
          ? squared(wordAt(log.data, 2))
          : undefined;
    return value === undefined ? undefined : { value, log, kind: log.key === sync ? 'v2' : 'v3' };
  } catch {
    // Anyone can write logs with these topics and other data.
    return undefined;
  }
}

function ratio(reserve0: bigint, reserve1: bigint): number | undefined {
  return reserve0 === 0n || reserve1 === 0n ? undefined : Number(reserve1) / Number(reserve0);
}

/** Of a root with 96 bits of fraction. */
function squared(root: bigint): number | undefined {
  return root === 0n ? undefined : (Number(root) / 2 ** 96) ** 2;
}

const getReserves = parseFunction('getReserves()(uint112,uint112,uint32)');
const slot0 = parseFunction('slot0()(uint160)');

/** Last reported price of the block before the transaction, or the price in the state before the block. */
function priceBefore(read: Reader, { logs }: Block, pool: string, { log, kind }: Price): number | undefined {
  const earlier = logs.findLast(
    (event) => event.address === pool && event.transactionIndex < log.transactionIndex && priceIn(event),
  );
  if (earlier) return priceIn(earlier)?.value;
  const answer = tryCall(read, pool, kind === 'v2' ? getReserves : slot0, [], 'parent');
  if (!('results' in answer)) return undefined;
  const [first, second] = answer.results;
  if (typeof first !== 'bigint') return undefined;
  return kind === 'v3' ? squared(first) : typeof second === 'bigint' ? ratio(first, second) : undefined;
}

/** Either it goes at least half of the way back, or it stays and the move is larger. */
function judge(
  pool: string,
  before: number | undefined,
  prices: readonly Pick<Price, 'value'>[],
  { limit, stayLimit }: Pick<Config, 'limit' | 'stayLimit'>,
) {
  const after = prices.at(-1)?.value;
  if (before === undefined || after === undefined) return [];
  const extreme = prices.reduce(
    (most, { value }) => (distance(value, before) > distance(most, before) ? value : most),
    before,
  );
  const moved = distance(extreme, before);
  const stays = distance(after, before) > moved / 2;
  if (moved < (stays ? stayLimit : limit)) return [];
  return [
    {
      pool,
      movePercent: round(moved),
      restPercent: round((after / before) * 100),
      stays,
      priceBefore: String(before),
      priceExtreme: String(extreme),
      priceAfter: String(after),
    },
  ];
}

/** The largest amount of the watched token that moved to or from an address, by its own logs, which no made-up pool can forge. */
function tradedWith({ logs }: Transaction, token: string): (address: string) => number {
  const most = new Map<string, number>();
  for (const log of logs) {
    const transfer = log.address === token ? decodeTransfer(log) : undefined;
    if (!transfer) continue;
    for (const party of [transfer.from, transfer.to])
      most.set(party, Math.max(most.get(party) ?? 0, Number(transfer.amount)));
  }
  return (address) => most.get(address) ?? 0;
}

/** Distance between the prices of a transaction. */
function spreadOf(prices: readonly Price[]): number {
  const values = prices.map(({ value }) => value);
  return values.reduce((a, b) => Math.max(a, b)) / values.reduce((a, b) => Math.min(a, b));
}

/** In per cent, the same for twice and for half of a price. */
function distance(price: number, before: number): number {
  return (Math.max(price / before, before / price) - 1) * 100;
}

function round(percent: number): number {
  return Math.round(percent * 100) / 100;
}

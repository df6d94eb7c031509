import { parseFunction } from '../../codecs/evm/abi.ts';
import { decodeTransfer, type Erc20Transfer } from '../../codecs/evm/erc20Transfer.ts';
import { transferTopic } from '../../codecs/evm/transferTopic.ts';
import { topicAddress } from '../../codecs/evm/words.ts';
import type { Log, Transaction } from '../../model/block.ts';
import type { Reader } from '../../model/detection.ts';
import type { OriginAccount } from '../../model/origin.ts';
import type { Holder } from './losses.ts';
import { decodeMultiTransfers } from './multiTokens.ts';
import { tryCall } from './readCall.ts';

type Taking = Pick<Transaction, 'from' | 'to' | 'logs'>;

/**
 * True if the loss of a token without name or price may alarm a person. Anyone can make a token and give it to a contract that
 * pays out all it has. So the contract must know it, or a giver must have neither made nor taken it.
 */
export function hasKnownWorth(holder: Holder, takings: readonly Taking[], token: string): boolean {
  const { chain, contract, read } = holder;
  if (chain.family !== 'evm' || takings.some(({ from }) => from === contract.address)) return true;
  const [people, isNamed] = read.all([
    () => read.optional(() => peopleOf(holder)),
    () => read.optional(() => knowsToken(holder, token)),
  ]);
  if (people?.decideAlone || isNamed) return true;
  const { address, own = {} } = contract;
  const isOwner = ({ address: person, made }: OriginAccount) =>
    person === people?.owner || own[person] !== undefined || made.includes(address);
  const senders = [...new Set(takings.map(({ from }) => from))].slice(0, maxAccounts);
  const takers = new Set([
    ...senders,
    ...takings.flatMap(({ to }) => to ?? []),
    ...recipientsIn(
      takings.flatMap(({ logs }) => logs),
      token,
      address,
    ),
  ]);
  takers.delete(address);
  const accounts = [token, address, ...[...takers].slice(0, maxAccounts)];
  const origin = read.optional(() => read.origin({ token, holder: address, senders, accounts }));
  // Nodes that do not show the past must not silence a theft.
  if (origin?.wasHeld !== false) return true;
  if (origin.senders.some(isOwner)) return true;
  const isIndependent = ({ address: giver, hadCoins, made }: OriginAccount) =>
    !takers.has(giver) &&
    hadCoins !== false &&
    !made.includes(token) &&
    !made.some((each) => takers.has(each));
  return origin.givers.some((giver) => isOwner(giver) || isIndependent(giver));
}

/** Those of the tokens whose loss may not alarm a person. */
export function withoutKnownWorth(
  holder: Holder,
  takings: readonly Taking[],
  tokens: readonly string[],
): ReadonlySet<string> {
  const verdicts = holder.read.all(tokens.map((token) => () => hasKnownWorth(holder, takings, token)));
  return new Set(tokens.filter((_, index) => !verdicts[index]));
}

/** Bounds the reads. */
const maxAccounts = 10;

/** Recipients of a tenth at least: a thief could have a little paid to every giver. */
function recipientsIn(logs: readonly Log[], token: string, holder: string): string[] {
  const amounts = new Map<string, bigint>();
  for (const log of logs)
    for (const { from, to, amount } of log.address === token ? movesIn(log) : [])
      if (from === holder && to !== holder) amounts.set(to, (amounts.get(to) ?? 0n) + amount);
  const all = [...amounts.values()].reduce((sum, amount) => sum + amount, 0n);
  return [...amounts].flatMap(([to, amount]) => (amount * 10n >= all ? [to] : []));
}

/** The moves of a token of any standard; a piece of a collection counts as one. */
function movesIn(log: Log): readonly Erc20Transfer[] {
  const transfer = decodeTransfer(log);
  if (transfer) return [transfer];
  const [from, to, id] = log.indexed;
  if (log.key === transferTopic && from && to && id)
    return [{ from: topicAddress(from), to: topicAddress(to), amount: 1n }];
  return decodeMultiTransfers(log);
}

const owner = parseFunction('owner()(address)');
const threshold = parseFunction('getThreshold()(uint256)');
const minDelay = parseFunction('getMinDelay()(uint256)');

/** A Safe, a timelock and an account without code move nothing without a decision of their own people. */
function peopleOf({ contract: { address }, read }: Holder): {
  owner: string | undefined;
  decideAlone: boolean;
} {
  const [code, ownerOf, ...guards] = read.all([
    () => read.code(address, 'parent'),
    () => tryAddress(read, address, owner),
    () => tryCall(read, address, threshold, [], 'parent'),
    () => tryCall(read, address, minDelay, [], 'parent'),
  ]);
  const isGuarded = guards.some((answer) => 'results' in answer && Number(answer.results[0]) > 0);
  return { owner: ownerOf, decideAlone: code === '0x' || isGuarded };
}

/** Names by which contracts tell the tokens that they were built for. */
const getters = [
  'asset',
  'token',
  'underlying',
  'underlyingToken',
  'token0',
  'token1',
  'want',
  'stakingToken',
  'rewardToken',
  'rewardsToken',
  'collateralToken',
  'baseToken',
  'quoteToken',
  'lpToken',
].map((name) => parseFunction(`${name}()(address)`));

/** Slots in which contracts keep what they are set up with; mappings lie elsewhere. */
const slots = Array.from({ length: 24 }, (_, slot) => `0x${slot.toString(16).padStart(64, '0')}`);

/** True if the contract names the token in its code, its first slots of storage, or a function of its own. */
function knowsToken({ contract: { address, implementation }, read }: Holder, token: string): boolean {
  const [codes, words, answers] = read.all([
    () =>
      read.all(
        [address, ...(implementation ? [implementation.toLowerCase()] : [])].map(
          (account) => () => read.code(account, 'parent'),
        ),
      ),
    () => read.all(slots.map((slot) => () => read.storage(address, slot, 'parent'))),
    () => read.all(getters.map((item) => () => tryAddress(read, address, item))),
  ]);
  const digits = token.slice(2);
  return [...codes, ...words].some((text) => text.includes(digits)) || answers.includes(token);
}

function tryAddress(read: Reader, to: string, item: Parameters<typeof tryCall>[2]): string | undefined {
  const answer = tryCall(read, to, item, [], 'parent');
  return 'results' in answer ? String(answer.results[0]).toLowerCase() : undefined;
}

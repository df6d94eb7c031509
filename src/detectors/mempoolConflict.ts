import type { Static } from 'typebox';
import { formatUnits, showAmount } from '../evidence/amounts.ts';
import { Amount, Configuration, Flag, Schedule } from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { compareDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { parseSchedule } from '../lib/schedule.ts';
import type { Transaction } from '../model/block.ts';
import { type Detection, defineDetector, type EvaluationContext } from '../model/detection.ts';

const config = Configuration({
  minAmount: Amount(
    'Only transactions that move at least this many whole coins to or from the address.',
    '0',
  ),
  feeBumps: Flag(
    'Whether replacements that only pay another fee, and the address and the recipients no less, are reported as well (as LOW).',
    true,
  ),
  cron: Schedule('How often to look at the transactions that wait, such as "5 s".', '5 s'),
});

type Config = Static<typeof config>;
/** Amounts are decimal text of smallest units; `change` is what the address has more by it, or less. */
type Waiting = {
  readonly hash: string;
  readonly inputs: readonly string[];
  readonly change: string;
  readonly paid: readonly (readonly [address: string, amount: string])[];
  readonly seenAt: number;
};
type State = { readonly waiting?: readonly Waiting[] };

/** Nodes drop what has waited for two weeks; a state must stay small. */
const maxWaitMs = 14 * 24 * 3_600_000;
const maxWaiting = 100;
const maxInputs = 400;
const maxInputsOfOne = 100;
const maxPaid = 10;

export const mempoolConflict = defineDetector<Config, State>({
  name: 'mempool_conflict',
  title: 'Conflict in the mempool',
  version: '1.0.0',
  category: 'SECURITY',
  families: ['bitcoin'],
  severity: 'HIGH',
  description:
    'A transaction of the address that waits for a block loses its coins to another one: a payment to the address is spent twice, or what it pays does not reach its recipients. It is reported as soon as the other transaction waits or is in a block, also when a reorganisation puts it there.',
  faq: 'Does it see everything? It looks at what waits at the nodes of Vigil every few seconds, so that a transaction which is replaced sooner is never seen. Of the transactions of an address the largest hundred are remembered, with four hundred inputs in all and the first hundred of each.',
  nextStep:
    'Deliver nothing for the payment. If the address itself paid, ask the keepers of the key who signed the other transaction, and move what is left.',
  config,
  fields: [
    'kind',
    'replaced',
    'replacement',
    'isMined',
    'symbol',
    'changeBefore',
    'changeAfter',
    'recipients',
    'feeRate',
  ],
  interests: ({ cron }) => [{ on: 'clock', schedule: parseSchedule(cron) }, { on: 'block' }],
  evaluate(observation, context) {
    const { contract, state, read } = context;
    const before = state?.waiting ?? [];
    const detections: Detection[] = [];
    if (observation.type === 'block') {
      const { spenderOf } = observation.block;
      const after = before.filter((payment) => {
        const spenders = payment.inputs.flatMap((input) => spenderOf?.(input) ?? []);
        const spender = spenders.find(({ hash }) => hash !== payment.hash);
        if (spender) detections.push(...toDetections(payment, spender, true, context));
        return spenders.length === 0;
      });
      return { ...keepState<State>(state, toState(after)), detections };
    }
    if (observation.type !== 'clock') return {};
    const pool = read.waiting(
      contract.address,
      before.flatMap(({ inputs }) => inputs),
    );
    const hashes = new Set(pool.map(({ hash }) => hash));
    const spenders = new Map(
      pool.flatMap((transaction) => (transaction.inputs ?? []).map((input) => [input, transaction])),
    );
    const after = before.filter((payment) => {
      if (hashes.has(payment.hash)) return true;
      const input = payment.inputs.find((candidate) => spenders.has(candidate));
      const spender = input === undefined ? undefined : spenders.get(input);
      if (spender) detections.push(...toDetections(payment, spender, false, context));
      return !spender && payment.seenAt > observation.at - maxWaitMs;
    });
    const formerHashes = new Set(before.map(({ hash }) => hash));
    const fresh = pool.flatMap((transaction) => {
      const payment = formerHashes.has(transaction.hash)
        ? undefined
        : toWaiting(transaction, observation.at, context);
      return payment ? [payment] : [];
    });
    return { ...keepState<State>(state, toState([...after, ...fresh])), detections };
  },
});

/** The most valuable transactions stay: a stranger's dust must not push them out. */
function toState(waiting: readonly Waiting[]): State {
  if (waiting.length === 0) return {};
  const size = ({ change }: Waiting) => Math.abs(Number(change));
  const kept: Waiting[] = [];
  let free = maxInputs;
  for (const transaction of [...waiting]
    .sort((left, right) => size(right) - size(left))
    .slice(0, maxWaiting)) {
    if (transaction.inputs.length > free) continue;
    free -= transaction.inputs.length;
    kept.push(transaction);
  }
  return { waiting: kept };
}

/** Undefined for one that has nothing to do with the address, or moves too little. */
function toWaiting(
  transaction: Transaction,
  seenAt: number,
  { config: { minAmount }, contract, chain }: EvaluationContext<Config, State>,
): Waiting | undefined {
  const { address } = contract;
  const { parties, hash, inputs = [] } = transaction;
  if (!parties?.senders.has(address) && !parties?.recipients.has(address)) return undefined;
  const change = changeOf(transaction, address);
  const amount = toDecimal(change < 0n ? -change : change, chain.decimals);
  if (compareDecimal(amount, parseDecimal(minAmount)) < 0) return undefined;
  const paid = [...paidBy(transaction, address)].slice(0, maxPaid);
  return {
    hash,
    inputs: inputs.slice(0, maxInputsOfOne),
    change: String(change),
    paid: paid.map(([to, sats]) => [to, String(sats)]),
    seenAt,
  };
}

function changeOf({ transfers }: Transaction, address: string): bigint {
  return transfers.reduce(
    (sum, { from, to, amount }) => sum + (to === address ? amount : 0n) - (from === address ? amount : 0n),
    0n,
  );
}

/** Recipients that the address pays by it, the largest amount first; none where it only receives. */
function paidBy({ transfers }: Transaction, address: string): Map<string, bigint> {
  const paid = new Map<string, bigint>();
  for (const { from, to, amount } of transfers)
    if (from === address && to !== null) paid.set(to, (paid.get(to) ?? 0n) + amount);
  return new Map([...paid].sort(([, left], [, right]) => (left < right ? 1 : -1)));
}

/** True if recipients lose more than the fee, which change pays for, or the largest recipient gets nothing. */
function paysLess({ paid }: Waiting, after: ReadonlyMap<string, bigint>, fee: bigint): boolean {
  const [largest] = paid;
  if (largest && !after.has(largest[0])) return true;
  const lost = paid.map(([to, sats]) => BigInt(sats) - (after.get(to) ?? 0n)).filter((less) => less > 0n);
  return lost.reduce((sum, less) => sum + less, 0n) > fee;
}

function toDetections(
  payment: Waiting,
  spender: Transaction,
  isMined: boolean,
  { config: { feeBumps }, contract, chain }: EvaluationContext<Config, State>,
): Detection[] {
  const { address, name } = contract;
  const before = BigInt(payment.change);
  const after = changeOf(spender, address);
  const paidAfter = paidBy(spender, address);
  const isRedirected = paysLess(payment, paidAfter, spender.fee ?? 0n);
  const kind = before > 0n && after < before ? 'doubleSpend' : isRedirected ? 'redirected' : 'feeBump';
  if (kind === 'feeBump' && !feeBumps) return [];
  const where = isMined ? 'is in a block' : 'waits now';
  const gets = after > 0n ? `pays only ${showAmount(after, chain)}` : 'pays nothing';
  const messages = {
    doubleSpend: `The coins of a payment of ${showAmount(before, chain)} to ${address} (${name}) were spent twice: ${spender.hash}, which ${gets} to it, ${where} in place of ${payment.hash}.`,
    redirected: `A transaction of ${address} (${name}) was replaced by one that pays its recipients less: ${spender.hash} ${where} in place of ${payment.hash}.`,
    feeBump: `A transaction of ${address} (${name}) was replaced by one with another fee: ${spender.hash} ${where} in place of ${payment.hash}.`,
  };
  return [
    {
      ...(kind === 'feeBump' ? { severity: 'LOW' as const } : {}),
      message: messages[kind],
      transactionHash: spender.hash,
      part: payment.hash,
      magnitude: Math.abs(Number(formatUnits(before, chain.decimals))),
      fields: {
        kind,
        replaced: payment.hash,
        replacement: spender.hash,
        isMined,
        symbol: chain.symbol,
        changeBefore: formatUnits(before, chain.decimals),
        changeAfter: formatUnits(after, chain.decimals),
        recipients: [...(spender.parties?.recipients ?? [])].slice(0, maxPaid),
        feeRate: spender.priorityFee,
      },
    },
  ];
}

import type { Static } from 'typebox';
import { Configuration, Duration, Whole } from '../evidence/parameters.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Transaction } from '../model/block.ts';
import { defineDetector, type Reader } from '../model/detection.ts';

const config = Configuration({
  atLeast: Whole('How many transactions to the contract must fail.', 10, 1, 1_000),
  within: Duration('Within which time.', '5 min'),
  share: Whole('Which part of all transactions to it must have failed, in per cent; 0 for any.', 0, 0, 100),
});

/** When transactions failed; with a share also how many there were in each slice of the window. */
type State = { failed: number[]; calls?: [slice: number, count: number][] };

export const failedTxSpike = defineDetector<Static<typeof config>, State>({
  name: 'failed_tx_spike',
  title: 'Failed transactions',
  version: '1.0.0',
  category: 'OPERATIONAL',
  severity: 'MEDIUM',
  description:
    'Many transactions to the contract fail within a short time. After an alert the count restarts.',
  faq: 'Are failing inner calls counted? No: only transactions sent to the contract itself that fail as a whole.',
  config,
  fields: ['failed', 'total', 'within', 'firstAt', 'sender', 'selector'],
  interests: (_config, { address }) => [{ on: 'call', address }],
  evaluate(observation, { config: { atLeast, within, share }, contract, state, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction, block } = observation;
    const windowMs = parseDuration(within);
    const at = block.timestamp;
    const hasFailed = isFailure(transaction, contract.address, read);
    if (!hasFailed && share === 0) return {};
    const failed = (state?.failed ?? []).filter((time) => time > at - windowMs);
    if (hasFailed) failed.push(at);
    const calls = share === 0 ? undefined : countCall(state?.calls ?? [], at, windowMs);
    const total = calls?.reduce((sum, [, count]) => sum + count, 0);
    const isEnough = total === undefined || failed.length * 100 >= share * total;
    const after = { failed: failed.slice(-atLeast), ...(calls ? { calls } : {}) };
    if (!hasFailed || failed.length < atLeast || !isEnough) return { state: after };
    const of = total === undefined ? '' : ` of ${total}`;
    return {
      state: { failed: [], ...(calls ? { calls: [] } : {}) },
      detections: [
        {
          message: `${failed.length}${of} transactions to ${contract.name} failed within ${within}, the last one from ${transaction.from}.`,
          fields: {
            failed: failed.length,
            total,
            within,
            firstAt: new Date(failed[0]!).toISOString(),
            sender: transaction.from,
            selector: transaction.input.slice(0, 10),
          },
        },
      ],
    };
  },
});

/** Logs of a failed call are undone, so that it need not be asked about when the contract has left one. */
function isFailure({ hash, logs }: Transaction, contract: string, read: Reader): boolean {
  return !logs.some(({ address }) => address === contract) && !read.receipt(hash).isSuccess;
}

/** Keeps the state small on busy contracts: the window moves on by a slice at a time. */
const slices = 50;

function countCall(calls: readonly [number, number][], at: number, windowMs: number): [number, number][] {
  const slice = Math.floor((at * slices) / windowMs);
  const kept = calls.filter(([time]) => time > slice - slices && time !== slice);
  const here = calls.find(([time]) => time === slice)?.[1] ?? 0;
  return [...kept, [slice, here + 1]];
}

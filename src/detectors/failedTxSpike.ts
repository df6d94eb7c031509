import type { Static } from 'typebox';
import { Configuration, Duration, Whole } from '../evidence/parameters.ts';
import { countEvent, countWithin, usualMost, type WindowCounts } from '../evidence/windowCounts.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Transaction } from '../model/block.ts';
import { defineDetector, type Reader } from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';

const config = Configuration({
  atLeast: Whole('How many transactions to the contract must fail.', 10, 1, 1_000),
  within: Duration('Within which time.', '5 min'),
  share: Whole('Which part of all transactions to it must have failed, in per cent; 0 for any.', 33, 0, 100),
});

/** `reported`: how many had failed when the last alert was raised, while it goes on. */
type State = WindowCounts & { readonly reported?: number };

/** Of a contract that many use some calls always fail; until it is known how many, the failed ones must be this part of all. */
const learningShare = 33;

export const failedTxSpike = defineDetector<Static<typeof config>, State>({
  name: 'failed_tx_spike',
  title: 'Failed transactions',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: [...evmDialect, 'solana', 'stellar'],
  recommendedFor: {
    CONTRACT: () => ({
      config: { atLeast: 20, within: '5 min', share: 50 },
      reason: 'Most transactions failing at once is an outage, or someone trying.',
    }),
  },
  severity: 'MEDIUM',
  description:
    'Many transactions to the contract fail within a short time, more than usual for it. Reported again only when twice as many have failed.',
  faq: 'What is usual? What the last 48 windows show, by median and MAD. A busy contract has failures all day, so a third of all transactions must have failed; with a share of 0, and once three windows are known, only what is usual counts. Failing inner calls are not counted: only transactions sent to the contract itself that fail as a whole.',
  nextStep:
    'Open some of the failed transactions and read why they failed: someone may be probing the contract, or a release broke it.',
  config,
  fields: ['failed', 'total', 'usual', 'within', 'firstAt', 'sender', 'selector'],
  interests: (_config, { address }, { family }) => [
    { on: hasEvmDialect(family) ? 'call' : 'touch', address },
  ],
  evaluate(observation, { config: { atLeast, within, share }, contract, state, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction, block } = observation;
    const windowMs = parseDuration(within);
    const hasFailed = isFailure(transaction, contract.address, read);
    const counts = countEvent(state?.slices ? state : empty, block.timestamp, windowMs, hasFailed);
    const { hits: failed, all: total, firstAt } = countWithin(counts, windowMs);
    const usual = usualMost(counts);
    const leastShare = Math.max(share, usual === undefined ? learningShare : 0);
    const isSpike = failed >= atLeast && failed > (usual ?? 0) && failed * 100 >= leastShare * total;
    // Below half of what was reported it is over.
    const reported =
      state?.reported !== undefined && failed * 2 >= state.reported ? state.reported : undefined;
    const after = { ...counts, ...(reported !== undefined && { reported }) };
    if (!hasFailed || !isSpike || (reported !== undefined && failed < 2 * reported)) return { state: after };
    const of = share === 0 ? '' : ` of ${total}`;
    return {
      state: { ...counts, reported: failed },
      detections: [
        {
          message: `${failed}${of} transactions to ${contract.name} failed within ${within}, the last one from ${transaction.from}.`,
          fields: {
            failed,
            total,
            usual: usual === undefined ? undefined : Math.round(usual),
            within,
            firstAt: new Date(firstAt).toISOString(),
            sender: transaction.from,
            selector: transaction.callKey,
          },
        },
      ],
    };
  },
});

const empty: WindowCounts = { slices: [] };

/** Logs of a failed call are undone, so that it need not be asked about when the contract has left one. */
function isFailure({ hash, logs }: Transaction, contract: string, read: Reader): boolean {
  return !logs.some(({ address }) => address === contract) && !read.receipt(hash).isSuccess;
}

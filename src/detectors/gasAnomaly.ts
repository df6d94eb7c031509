import { type Static, Type } from 'typebox';
import { showAmount } from '../evidence/amounts.ts';
import { Configuration, Whole } from '../evidence/parameters.ts';
import {
  emptySeries,
  extendSeries,
  judgeInSeries,
  median,
  type RobustSeries,
} from '../evidence/robustSeries.ts';
import type { Block, Transaction } from '../model/block.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';

const config = Configuration({
  z: Type.Number({
    description:
      'How many deviations away from the usual is too far. Both are robust: the median, and the median distance from it, of factors.',
    default: 5,
    minimum: 1,
    maximum: 1_000,
  }),
  minSamples: Whole('How many transactions must have been seen before anything is judged.', 100, 5, 10_000),
});

/** Gas differs from function to function, so each selector has a series of its own; the last one used is last. */
type State = { calls?: readonly (readonly [selector: string, series: RobustSeries])[]; fees?: RobustSeries };

export const gasAnomaly = defineDetector<Static<typeof config>, State>({
  name: 'gas_anomaly',
  title: 'Gas anomaly',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: [...evmDialect, 'bitcoin'],
  severity: 'LOW',
  description:
    'A transaction to the contract uses far more or less gas than calls of the same function did before, or offers a far larger priority fee, and is beyond all that was seen before: gas by half, a fee ten times. On Bitcoin: a transaction that spends coins of the address pays a far higher fee for a virtual byte.',
  faq: 'How long does it learn? Until it has seen minSamples transactions, for gas minSamples of the same function. Failed transactions are left out. A fee is not odd that is like those of the other transactions of the block, nor one that is small: who hands a transaction to a block producer directly often offers none.',
  nextStep: 'Open the transaction and compare what it does with usual calls of the function.',
  config,
  fields: ['measure', 'value', 'mean', 'zScore', 'selector', 'sender'],
  interests: (_config, { address }, chain) => [
    hasEvmDialect(chain.family) ? { on: 'call', address } : { on: 'sender', address },
  ],
  evaluate(observation, { config: { z, minSamples }, contract, chain, state, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction, block } = observation;
    const receipt = read.degradable(() => read.receipt(transaction.hash));
    // A call that fails stops anywhere, so its gas says nothing about the others.
    if (!receipt?.isSuccess) return {};
    const selector = transaction.callKey;
    const calls = state?.calls ?? [];
    const before = calls.find(([name]) => name === selector)?.[1] ?? emptySeries;
    const fees = state?.fees ?? emptySeries;
    const [gas, fee] = [Number(receipt.used), Number(transaction.priorityFee)];
    // The size of a payment follows from its coins, and says nothing.
    const hasGas = hasEvmDialect(chain.family);
    const feeMeasure = hasGas ? 'priority fee' : 'fee rate';
    const odd = [
      ...(hasGas ? [{ measure: 'gas used', value: gas, series: before, factor: 1.5 }] : []),
      ...(isLikeOthers(block, transaction)
        ? []
        : [{ measure: feeMeasure, value: fee, series: fees, factor: 10 }]),
    ].flatMap(({ measure, value, series, factor }) => {
      const judged = series[0] >= minSamples ? judgeInSeries(series, value, factor) : undefined;
      const isOdd = judged && (measure === feeMeasure ? judged.score : Math.abs(judged.score)) > z;
      return isOdd ? [{ measure, value, ...judged }] : [];
    });
    const rest = calls.filter(([name]) => name !== selector);
    const series = [...rest, [selector, extendSeries(before, gas)] as const];
    return {
      state: {
        ...(hasGas && { calls: series.slice(-maxSelectors) }),
        fees: extendSeries(fees, fee),
      },
      detections: odd.map(({ measure, value, usual, score }) => ({
        part: measure,
        message: `The ${measure} of ${hasGas ? `a call of ${transaction.from} to` : 'a payment of'} ${contract.name} is ${show(measure, value)}, far from the usual ${show(measure, usual)}.`,
        fields: {
          measure,
          value,
          mean: Math.round(usual),
          zScore: Math.round(score * 100) / 100,
          ...(hasGas && { selector }),
          sender: transaction.from,
        },
      })),
    };
  },
});

/** Fees are in the smallest unit of the coin, which no one reads. */
function show(measure: string, value: number): string {
  const units = BigInt(Math.round(value));
  if (measure === 'fee rate') return showAmount(units, { symbol: 'sat/vB', decimals: 0 });
  return measure === 'priority fee'
    ? showAmount(units, { symbol: 'gwei', decimals: 9 })
    : showAmount(units, { symbol: 'gas', decimals: 0 });
}

const maxSelectors = 20;
const fewOthers = 5;
/** Fees rise and fall for all alike. */
const likeOthers = 5;

function isLikeOthers({ transactions }: Block, { hash, priorityFee }: Transaction): boolean {
  const rest = transactions.filter((peer) => peer.hash !== hash).map((peer) => Number(peer.priorityFee));
  if (rest.length < fewOthers) return false;
  const ratio = (1 + Number(priorityFee)) / (1 + median(rest));
  return ratio < likeOthers;
}

import { type Static, Type } from 'typebox';
import { Configuration, Whole } from '../evidence/parameters.ts';
import { emptySeries, extendSeries, type Series, scoreInSeries } from '../evidence/runningSeries.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  z: Type.Number({
    description: 'How many standard deviations away from the mean is too far.',
    default: 4,
    minimum: 1,
    maximum: 1_000,
  }),
  minSamples: Whole('How many transactions must have been seen before anything is judged.', 100, 5, 10_000),
});

/** Gas differs from function to function, so each selector has a series of its own; the last one used is last. */
type State = { gas: [selector: string, series: Series][]; fee: Series };

export const gasAnomaly = defineDetector<Static<typeof config>, State>({
  name: 'gas_anomaly',
  title: 'Gas anomaly',
  version: '1.0.0',
  category: 'OPERATIONAL',
  severity: 'LOW',
  description:
    'A transaction to the contract uses far more or less gas than calls of the same function did before, or offers a far larger or smaller priority fee.',
  faq: 'How long does it learn? Until it has seen minSamples transactions, for gas minSamples of the same function; what is long ago weighs less and less. Failed transactions are left out.',
  config,
  fields: ['measure', 'value', 'mean', 'zScore', 'selector', 'sender'],
  interests: (_config, { address }) => [{ on: 'call', address }],
  evaluate(observation, { config: { z, minSamples }, contract, state, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction } = observation;
    const receipt = read.degradable(() => read.receipt(transaction.hash));
    // A call that fails stops anywhere, so its gas says nothing about the others.
    if (!receipt?.isSuccess) return {};
    const selector = transaction.input.slice(0, 10);
    const gasBefore = state?.gas.find(([name]) => name === selector)?.[1] ?? emptySeries;
    const feeBefore = state?.fee ?? emptySeries;
    const [gas, fee] = [Number(receipt.used), Number(transaction.priorityFee)];
    const others = (state?.gas ?? []).filter(([name]) => name !== selector);
    const keep = Math.max(maxWeight, minSamples);
    const gasSeries: State['gas'] = [...others, [selector, extendSeries(gasBefore, gas, keep)]];
    const odd = [
      { measure: 'gas used', value: gas, before: gasBefore },
      { measure: 'priority fee', value: fee, before: feeBefore },
    ].flatMap(({ measure, value, before }) => {
      const score = scoreInSeries(before, value);
      return before[0] >= minSamples && Math.abs(score) > z
        ? [{ measure, value, mean: before[1], score }]
        : [];
    });
    return {
      state: { gas: gasSeries.slice(-maxSelectors), fee: extendSeries(feeBefore, fee, keep) },
      detections: odd.map(({ measure, value, mean, score }) => ({
        part: measure,
        message: `The ${measure} of a call of ${transaction.from} to ${contract.name} is ${value}, far from the usual ${Math.round(mean)}.`,
        fields: {
          measure,
          value,
          mean: Math.round(mean),
          zScore: Math.round(score * 100) / 100,
          selector,
          sender: transaction.from,
        },
      })),
    };
  },
});

const maxSelectors = 50;
const maxWeight = 1_000;

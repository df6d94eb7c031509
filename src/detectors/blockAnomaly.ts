import { type Static, Type } from 'typebox';
import { groupDigits } from '../evidence/amounts.ts';
import { Configuration, Duration, Flag, Whole } from '../evidence/parameters.ts';
import { emptySeries, extendSeries, judgeInSeries, type RobustSeries } from '../evidence/robustSeries.ts';
import { keepState } from '../evidence/samples.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Block } from '../model/block.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  minTransactions: Limit('Least number of transactions of a block.'),
  maxTransactions: Limit('Most transactions of a block.'),
  minEvents: Limit('Least number of logs of a block.'),
  maxEvents: Limit('Most logs of a block.'),
  minSize: Limit('Least size of a block in bytes.'),
  maxSize: Limit('Most bytes of a block.'),
  minGas: Limit('Least gas that a block uses.'),
  maxGas: Limit('Most gas that a block uses.'),
  minGasPerTransaction: Limit('Least gas that a block uses for each of its transactions.'),
  maxGasPerTransaction: Limit('Most gas that a block uses for each of its transactions.'),
  minInterval: Interval('Least time between two blocks.'),
  maxInterval: Interval('Most time between two blocks.'),
  deviations: Type.Number({
    description:
      'Without any limit above: how many robust deviations away from the last blocks a measure is out of the ordinary.',
    default: 8,
    minimum: 2,
    maximum: 1_000,
  }),
  inARow: Whole('Without any limit above: for how many blocks in a row.', 3, 1, 100),
  trackLatency: Flag('Whether to report blocks that reach Vigil late.', false),
  maxLatency: Duration('How long after its time a block may reach Vigil.', '1 min'),
});

type Config = Static<typeof config>;
type Bound = number | undefined;
type Measure = { name: string; unit: string; value: number; min: Bound; max: Bound };

/** `learned`: the usual values, from one block of several. `odd`: blocks in a row in which a measure was odd. */
type State = { learned?: Readonly<Record<string, RobustSeries>>; odd?: Readonly<Record<string, number>> };

export const blockAnomaly = defineDetector<Config, State>({
  name: 'block_anomaly',
  title: 'Block anomaly',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: [...evmDialect, 'bitcoin', 'stellar'],
  severity: 'MEDIUM',
  description:
    'A block is out of the ordinary: its number of transactions or logs, its size, gas, gas per transaction, distance from the block before, or latency is below the least or above the most that is given. Without any limit: far from what the blocks before had, for several blocks in a row.',
  faq: 'What does it do without limits? It learns from 150 blocks, then reports measures that stay far outside of all it has seen; one odd block is common, and one event is reported once. Why does latency report old blocks after a downtime? They do reach Vigil late; leave trackLatency off if that is of no use.',
  nextStep:
    'Compare with a node of another provider and the status page of the chain before you trust its latest blocks.',
  config,
  fields: [
    'measures',
    'blockNumber',
    'transactions',
    'events',
    'size',
    'gas',
    'gasPerTransaction',
    'intervalMs',
    'latencyMs',
  ],
  interests: () => [{ on: 'block' }],
  evaluate(observation, { config: options, chain, state }) {
    if (observation.type !== 'block') return {};
    const { block, previous } = observation;
    const measures = measuresOf(block, previous, options);
    const learned = hasLimits(options) ? undefined : learn(block.number, measures, options, state);
    const odd: (Measure & { usual?: number })[] = [...measures.filter(isOdd), ...(learned?.odd ?? [])];
    const kept = learned ? keepState(state, learned.state) : {};
    if (odd.length === 0) return kept;
    return {
      ...kept,
      detections: [
        {
          message: `Block ${block.number} of ${chain.uid} is out of the ordinary: ${odd.map(words).join(', ')}.`,
          fields: {
            measures: odd.map(({ name }) => name),
            blockNumber: block.number,
            ...Object.fromEntries(odd.map(({ name, value }) => [name, value])),
          },
        },
      ],
    };
  },
});

function Limit(description: string) {
  return Type.Optional(Type.Number({ description, minimum: 0 }));
}

function Interval(description: string) {
  return Type.Optional(Type.String({ description, format: 'duration' }));
}

function hasLimits(options: Config): boolean {
  return options.trackLatency || Object.keys(options).some((name) => /^m(in|ax)(?!Latency)/.test(name));
}

function measuresOf(block: Block, previous: { timestamp: number } | undefined, options: Config): Measure[] {
  const measures: Measure[] = [];
  const add = (name: string, unit: string, value: number, min: Bound, max: Bound) =>
    measures.push({ name, unit, value, min, max });
  const { length: count } = block.transactions;
  const gas = Number(block.used);
  add('transactions', 'transactions', count, options.minTransactions, options.maxTransactions);
  add('events', 'logs', block.logs.length, options.minEvents, options.maxEvents);
  add('size', 'bytes', block.size, options.minSize, options.maxSize);
  add('gas', 'gas', gas, options.minGas, options.maxGas);
  if (count > 0) {
    const { minGasPerTransaction: min, maxGasPerTransaction: max } = options;
    add('gasPerTransaction', 'gas per transaction', Math.round(gas / count), min, max);
  }
  if (previous) {
    const [min, max] = [toMs(options.minInterval), toMs(options.maxInterval)];
    add('intervalMs', 'ms since the block before', block.timestamp - previous.timestamp, min, max);
  }
  if (options.trackLatency)
    add('latencyMs', 'ms late', block.receivedAt - block.timestamp, undefined, toMs(options.maxLatency));
  return measures;
}

function toMs(duration: string | undefined): Bound {
  return duration === undefined ? undefined : parseDuration(duration);
}

function isOdd({ value, min, max }: Measure): boolean {
  return (min !== undefined && value < min) || (max !== undefined && value > max);
}

const sampleEvery = 5;
const minSamples = 30;

/** Reports a measure once it has been odd for long enough, and learns from every few blocks, since each time is a row written. */
function learn(number: number, measures: readonly Measure[], options: Config, state: State | undefined) {
  const series = state?.learned ?? {};
  const judged = measures.flatMap((measure) => {
    const before = series[measure.name];
    const judged = before && before[0] >= minSamples ? judgeInSeries(before, measure.value) : undefined;
    return judged && Math.abs(judged.score) > options.deviations ? [{ ...measure, usual: judged.usual }] : [];
  });
  const odd = Object.fromEntries(
    judged.map(({ name }) => [name, Math.min((state?.odd?.[name] ?? 0) + 1, options.inARow + 1)]),
  );
  // An odd value is not learned while it is counted.
  const isSampled = number % sampleEvery === 0;
  const learned = isSampled
    ? Object.fromEntries(
        measures.map(({ name, value }) => {
          const isCounted = (odd[name] ?? 0) > 0 && (odd[name] ?? 0) <= options.inARow;
          const before = series[name] ?? emptySeries;
          return [name, isCounted ? before : extendSeries(before, value)];
        }),
      )
    : series;
  return {
    odd: judged.filter(({ name }) => odd[name] === options.inARow),
    state: { learned, ...(judged.length > 0 && { odd }) },
  };
}

function words({ value, unit, min, max, usual }: Measure & { usual?: number }): string {
  if (usual !== undefined)
    return `${groupDigits(`${value}`)} ${unit} (usually ${groupDigits(`${Math.round(usual)}`)})`;
  const limit =
    min !== undefined && value < min
      ? `at least ${groupDigits(`${min}`)}`
      : `at most ${groupDigits(`${max}`)}`;
  return `${groupDigits(`${value}`)} ${unit} (${limit} expected)`;
}

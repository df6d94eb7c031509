import { type Static, Type } from 'typebox';
import { Configuration, Duration, Flag } from '../evidence/parameters.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Block } from '../model/block.ts';
import { defineDetector } from '../model/detection.ts';

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
  trackLatency: Flag('Whether to report blocks that reach Vigil late.', false),
  maxLatency: Duration('How long after its time a block may reach Vigil.', '1 min'),
});

type Config = Static<typeof config>;
type Bound = number | undefined;
type Measure = { name: string; unit: string; value: number; min: Bound; max: Bound };

export const blockAnomaly = defineDetector<Config, never>({
  name: 'block_anomaly',
  title: 'Block anomaly',
  version: '1.0.0',
  category: 'OPERATIONAL',
  severity: 'MEDIUM',
  description:
    'A block is out of the ordinary: its number of transactions or logs, its size, gas, gas per transaction, distance from the block before, or latency is below the least or above the most that is given.',
  faq: 'Why does latency report old blocks after a downtime? They do reach Vigil late; leave trackLatency off if that is of no use.',
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
  interests: (options) => (hasLimits(options) ? [{ on: 'block' }] : []),
  evaluate(observation, { config: options, chain }) {
    if (observation.type !== 'block') return {};
    const { block, previous } = observation;
    const odd = measuresOf(block, previous, options).filter(isOdd);
    if (odd.length === 0) return {};
    return {
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

function words({ value, unit, min, max }: Measure): string {
  const limit = min !== undefined && value < min ? `at least ${min}` : `at most ${max}`;
  return `${value} ${unit} (${limit} expected)`;
}

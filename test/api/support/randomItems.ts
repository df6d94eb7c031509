import type { Random } from '../../../testing/createRandom.ts';
import type { Item } from './naiveAggregate.ts';

const words = ['severity', 'kind', 'group', 'status', 'finality', 'eid', 'txHash', 'chainUid', 'triggerType'];
const texts = ['name.keyword', 'walletName.keyword', 'walletAddress', 'tags', 'suppressed', 'uid'];
const members = [
  'meta.token.keyword',
  'meta.nested.note.keyword',
  'meta.nested.list.keyword',
  'meta.toAddress.keyword',
];
const plain = [...words, ...texts, ...members, 'meta.nosuch.keyword'];
const numbers = [
  'contractId',
  'tenantId',
  'detectorId',
  'numericSeverity',
  'blockNumber',
  'timestamp',
  'retractedAt',
];
const metaNumbers = [
  'meta.amount',
  'meta.many',
  'meta.rows.n',
  'meta.nested.list',
  'meta.mixed',
  'meta.paused',
  'meta.value',
  'meta.nosuch',
];
const measurable = [...numbers, ...metaNumbers];

const anyMetrics = ['count', 'cardinality', 'missing'];
const numberMetrics = ['min', 'max', 'avg', 'sum', 'stats', 'percentiles'];

/** Items that can be carried out, nested at random, some with a query of their own. */
export function randomItems(random: Random, createQuery: () => string, depth = 1): Item[] {
  const names = ['a', 'b', 'c.max', '__proto__', 'toString'];
  const count = random.integer(1, depth === 1 ? 2 : 1 + Number(random.chance(0.3)));
  return Array.from({ length: count }, () => {
    const name = names.splice(random.below(names.length), 1)[0]!;
    return randomItem(random, createQuery, name, depth);
  });
}

function randomItem(random: Random, createQuery: () => string, name: string, depth: number): Item {
  const { pick, chance } = random;
  const query = chance(0.25) ? { query: createQuery() } : {};
  if (chance(0.3)) {
    const field = pick(chance(0.7) ? measurable : plain);
    return { name, field, aggregation: randomMetrics(random, field, 1), ...query };
  }
  const nested = depth < 4 && chance(0.6) ? randomItems(random, createQuery, depth + 1) : [];
  if (chance(0.2)) {
    const zone = pick([undefined, 'UTC', '+05:45', '-09:30', 'Europe/Berlin', 'America/New_York']);
    return {
      name,
      field: pick(['timestamp', 'timestamp', 'retractedAt']),
      interval: pick(['12h', '1d', '3d', '1w', '1M', 'quarter', 'year']),
      ...(zone === undefined ? {} : { timezone: zone }),
      aggregation: ['date_histogram', ...randomMetrics(random, 'timestamp', 0), ...nested],
      ...query,
    };
  }
  const field = pick(chance(0.4) ? measurable : plain);
  const metrics = randomMetrics(random, field, 0);
  const aggregation = [...metrics, ...(chance(0.5) || metrics.length > 0 ? ['terms'] : []), ...nested];
  return {
    name,
    field,
    ...(aggregation.length > 0 || chance(0.5) ? { aggregation } : {}),
    ...(chance(0.5) ? { size: random.integer(1, 6) } : {}),
    ...randomSort(random, metrics, nested),
    ...query,
  };
}

function randomMetrics(random: Random, field: string, least: number): string[] {
  const possible = [...anyMetrics, ...(measurable.includes(field) ? numberMetrics : [])];
  const count = Math.max(least, random.integer(-2, 3));
  return [...new Set(Array.from({ length: count }, () => random.pick(possible)))];
}

const several = ['stats', 'percentiles'];

function randomSort(random: Random, metrics: string[], nested: Item[]): Pick<Item, 'sort'> {
  if (random.chance(0.5)) return {};
  const fields = ['_count', '_key', ...sortable('', metrics), ...nested.flatMap(sortableOf)];
  const sort = Array.from({ length: random.integer(1, 2) }, () => {
    const field = random.pick(fields);
    return random.chance(0.5) ? { field } : { field, order: random.pick(['asc', 'desc'] as const) };
  });
  return { sort };
}

function sortable(prefix: string, words: readonly string[]): string[] {
  return words.filter((word) => !several.includes(word)).map((word) => `${prefix}${word}`);
}

/** Only an item without buckets has one value of each metric. */
function sortableOf({ name, aggregation = [] }: Item): string[] {
  const words = aggregation.filter((word) => typeof word === 'string');
  const isMeasure = words.length === aggregation.length && words.length > 0;
  if (!isMeasure || words.includes('terms') || words.includes('date_histogram')) return [];
  return sortable(`${name}.`, ['count', ...words]);
}

import type { Random } from '../../testing/createRandom.ts';
import type { Json } from './whereOracle.ts';

export type Thing = { [name: string]: Json } & {
  id: string;
  schema: Schema | null;
  parts: ({ [name: string]: Json } & { notes: { [name: string]: Json }[] })[];
};
type Schema = { [name: string]: Json } & { revisions: { [name: string]: Json }[] };

/** Few distinct values, so that clauses hit; chosen for what could go wrong with them. */
export const texts = [
  ...Array.from('aAbBéÉßẞςΣσİıiIkK\u212a\uffee😀ǅǆǄ%_\\ '),
  ...`ab aB a_b a%b O'Brien x"y 10 1e0 null b😀a`.split(' '),
  'a b',
  '',
];
export const integers = [
  '-2',
  '-1',
  '0',
  '1',
  '2',
  '3',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
];
export const doubles = [
  -2, -0.5, 0, 0.1, 0.30000000000000004, 1, 1.5, 2, 1e21, 1.7976931348623157e308, 5e-324,
];
export const names = ['a', 'b', 'in', "it's", 'x.y'];

export function randomThings(random: Random, count: number): Thing[] {
  const things = Array.from({ length: count }, (_, index) => randomThing(random, index + 1));
  for (const part of things.flatMap(({ parts }) => parts)) {
    part.schema = things.find(({ id }) => id === part.size)?.schema ?? null;
  }
  return things;
}

function randomThing(random: Random, id: number): Thing {
  const rarely = <T extends Json>(value: T): T | null => (random.chance(0.2) ? null : value);
  const text = () => rarely(random.pick(texts));
  const integer = () => rarely(random.pick(integers));
  const list = <T extends Json>(item: () => T) => Array.from({ length: random.below(4) }, item);
  const schemaName = text();
  return {
    id: String(id),
    tenant: String(1 + random.below(2)),
    name: text(),
    score: rarely(random.pick(doubles)),
    amount: rarely(random.pick(doubles)),
    active: rarely(random.chance(0.5)),
    tags: rarely(list(text)),
    counts: rarely(list(integer)),
    config: randomJson(random, 3),
    schema: rarely({
      name: schemaName,
      version: rarely(String(random.below(3))),
      options: randomJson(random, 2),
      flags: rarely(list(text)),
      revisions: list(() => ({
        number: rarely(String(random.below(3))),
        stable: rarely(random.chance(0.5)),
      })),
    }),
    parts: list(() => ({
      label: text(),
      size: integer(),
      weight: rarely(random.pick(doubles)),
      marks: rarely(list(text)),
      extra: randomJson(random, 2),
      notes: list(() => ({ text: text() })),
    })),
  };
}

function randomJson(random: Random, depth: number): Json {
  const kind = random.below(depth > 0 ? 8 : 4);
  if (kind === 0) return null;
  if (kind === 1) return random.pick(texts);
  if (kind === 2) return random.pick(doubles);
  if (kind === 3) return random.chance(0.5);
  if (kind < 6) return Array.from({ length: random.below(4) }, () => randomJson(random, depth - 1));
  const members = names.filter(() => random.chance(0.6));
  return Object.fromEntries(members.map((name) => [name, randomJson(random, depth - 1)]));
}

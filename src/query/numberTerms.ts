/**
 * Terms of buckets for range searches, from four powers of two wide to a millionth of the number. `member`: under the
 * member's name. `any`: the narrowest, for any member. Stored, so it must not change.
 */
export function numberTerms(value: number): { member: string[]; any: string } {
  const rank = placeOf(value);
  return {
    member: [wideTerm(wideOf(rank)), ...levels.map((bits) => term(bits, rank))],
    any: term(narrowest, rank),
  };
}

/**
 * Terms of which every number between the bounds has at least one: in its member, and in any member if few enough.
 * Close numbers may have them too, so the range is rechecked.
 */
export function rangeTerms(
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
): { member: string[]; any?: string[] } {
  const [from, to] = [placeOf(min), placeOf(max)];
  const [first, last] = [wideOf(from), wideOf(to)];
  if (first === last) {
    const any = termsBetween(narrowest, from, to);
    return { member: termsWithin(first, from, to), ...(any ? { any } : {}) };
  }
  const inside = Array.from({ length: Math.max(0, last - first - 1) }, (_, n) => wideTerm(first + 1 + n));
  return {
    member: [
      ...termsWithin(first, from, edgesOf(first).to),
      ...inside,
      ...termsWithin(last, edgesOf(last).from, to),
    ],
  };
}

/** Terms of a range inside one of the widest buckets: narrow ones at both ends, and wider ones between them. */
function termsWithin(wide: number, from: number, to: number): string[] {
  const [wider, narrow] = levels;
  const few = termsBetween(narrow, from, to);
  if (few) return few;
  const size = 2 ** (32 - wider);
  const [start, end] = [Math.ceil(from / size) * size, Math.floor((to + 1) / size) * size - 1];
  const middle = termsBetween(wider, start, end);
  if (!middle) return [wideTerm(wide)];
  return [
    ...(termsBetween(narrow, from, start - 1) ?? []),
    ...middle,
    ...(termsBetween(narrow, end + 1, to) ?? []),
  ];
}

/** Leading bits of its index that name the bucket of a number: 4 and 10 bits of the fraction. */
const levels = [16, 22] as const;
const narrowest = 32;
/** Most terms of a range on one level. */
const maxTerms = 64;

const double = new DataView(new ArrayBuffer(8));

/** The upper half of a double, as an unsigned integer that grows with the number. */
function placeOf(value: number): number {
  // Adding 0 makes one zero of both.
  double.setFloat64(0, value + 0);
  const upper = double.getInt32(0);
  return (upper < 0 ? ~upper : upper ^ 0x80000000) >>> 0;
}

/**
 * The widest bucket as a number from -31 to 31, in the order of numbers: 1 has magnitudes from 2^-40 to 2^-36, 31 those from
 * 2^80. What is closer to zero shares one bucket.
 */
function wideOf(rank: number): number {
  const isNegative = rank < 0x80000000;
  const upper = isNegative ? ~rank : rank ^ 0x80000000;
  const exponent = ((upper >>> 20) & 0x7ff) - 1023;
  const magnitude = Math.max(0, Math.min(31, Math.floor(exponent / 4) + 11));
  return isNegative ? -magnitude : magnitude;
}

/** The first and the last place in a widest bucket. */
function edgesOf(wide: number): { from: number; to: number } {
  const bucketAt = (magnitude: number) => placeOf(2 ** (4 * (magnitude - 11)));
  if (wide > 0) return { from: bucketAt(wide), to: wide === 31 ? 0xffffffff : bucketAt(wide + 1) - 1 };
  if (wide === 0) return { from: 0xffffffff - bucketAt(1) + 1, to: bucketAt(1) - 1 };
  const mirrored = edgesOf(-wide);
  return { from: 0xffffffff - mirrored.to, to: 0xffffffff - mirrored.from };
}

function wideTerm(wide: number): string {
  return `n ${wide}`;
}

function term(bits: number, rank: number): string {
  return `n${bits} ${rank >>> (32 - bits)}`;
}

function termsBetween(bits: number, from: number, to: number): string[] | undefined {
  const first = from >>> (32 - bits);
  const count = (to >>> (32 - bits)) - first + 1;
  if (count > maxTerms) return undefined;
  return Array.from({ length: Math.max(0, count) }, (_, n) => `n${bits} ${first + n}`);
}

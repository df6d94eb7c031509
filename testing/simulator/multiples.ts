import { secp256k1 } from '@noble/curves/secp256k1.js';

type Point = typeof secp256k1.Point.BASE;

/** Row after row, 1 to 63 times the point, then 1 to 63 times 64 times the point, and so on. */
export type Multiples = readonly { x: bigint; y: bigint }[];

/** A point as x / z², y / z³; z = 0 is the zero of the curve. */
type Jacobian = { x: bigint; y: bigint; z: bigint };

const { Fp } = secp256k1.Point;
const prime = Fp.ORDER;
const bits = 6;
const perRow = 2 ** bits - 1;

export function multiplesOf(point: Point): Multiples {
  const points: Point[] = [];
  let first = point;
  for (let row = 0; row * bits < 256; row++) {
    let next = first;
    for (let times = 1; times <= perRow; times++) {
      points.push(next);
      next = next.add(first);
    }
    first = next;
  }
  const inverses = Fp.invertBatch(points.map(({ Z }) => Z));
  return points.map(({ X, Y }, place) => ({
    x: Fp.mul(X, inverses[place]!),
    y: Fp.mul(Y, inverses[place]!),
  }));
}

/** Adds a multiple of the table's point. Coordinates may come out negative, and are wrong when a point meets itself. */
export function addMultiple(start: Jacobian, table: Multiples, scalar: bigint): Jacobian {
  let { x, y, z } = start;
  let row = 0;
  for (let rest = scalar; rest > 0n; rest >>= BigInt(bits), row++) {
    const times = Number(rest & BigInt(perRow));
    if (times === 0) continue;
    const other = table[row * perRow + times - 1]!;
    if (z === 0n) {
      ({ x, y } = other);
      z = 1n;
      continue;
    }
    const zz = (z * z) % prime;
    const h = (other.x * zz - x) % prime;
    const slope = (((other.y * zz) % prime) * z - y) % prime;
    const hh = (h * h) % prime;
    const hhh = (hh * h) % prime;
    const v = (x * hh) % prime;
    x = (slope * slope - hhh - 2n * v) % prime;
    y = (slope * (v - x) - y * hhh) % prime;
    z = (z * h) % prime;
  }
  return { x, y, z };
}

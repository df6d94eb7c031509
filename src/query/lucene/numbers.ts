/** A decimal number as queries write it, or undefined. */
export function parseNumber(text: string): number | undefined {
  if (!decimal.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value + 0 : undefined;
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The next double above; together with `below` it turns an exclusive bound into an inclusive one. */
export function above(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  double[0] = value;
  bits[0]! += value > 0 ? 1n : -1n;
  return double[0];
}

export function below(value: number): number {
  return -above(-value);
}

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

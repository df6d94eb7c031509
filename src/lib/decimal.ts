/** An exact decimal number, `units / 10^scale`: amounts in chain units are too large for floating point. */
export type Decimal = { readonly units: bigint; readonly scale: number };

/** Digits with an optional sign, fraction, exponent and `_` between digits: `-1_000.5`, `1e18`. */
export function parseDecimal(value: string | number): Decimal {
  const text = String(value);
  const parts = text.length <= maxLength ? decimalPattern.exec(text) : null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts ?? [];
  if (parts === null || whole + fraction === '' || Math.abs(Number(exponent)) > maxExponent) {
    throw new RangeError(
      `'${text.slice(0, 40)}' is not a number that can be compared exactly: write digits such as 1000, 1_000.5 or 1e18, at most ${maxLength} characters and an exponent of at most ${maxExponent}.`,
    );
  }
  const places = fraction.replaceAll('_', '');
  const magnitude = BigInt(whole.replaceAll('_', '') + places);
  return normalize(sign === '-' ? -magnitude : magnitude, places.length - Number(exponent));
}

/** A whole number of the smallest unit, as an amount with so many decimals. */
export function toDecimal(units: bigint, decimals = 0): Decimal {
  return normalize(units, decimals);
}

/** A decimal amount in the smallest unit of its currency; smaller fractions are cut off. */
export function toUnits({ units, scale }: Decimal, decimals: number): bigint {
  const shift = decimals - scale;
  return shift >= 0 ? units * 10n ** BigInt(shift) : units / 10n ** BigInt(-shift);
}

/** Below 0, 0 or above 0 as `left` is less than, equal to or greater than `right`. */
export function compareDecimal(left: Decimal, right: Decimal): number {
  const { units } = subtractDecimal(left, right);
  return units < 0n ? -1 : units > 0n ? 1 : 0;
}

export function addDecimal(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return normalize(unitsAt(left, scale) + unitsAt(right, scale), scale);
}

export function subtractDecimal(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return normalize(unitsAt(left, scale) - unitsAt(right, scale), scale);
}

export function multiplyDecimal(left: Decimal, right: Decimal): Decimal {
  return normalize(left.units * right.units, left.scale + right.scale);
}

export function absoluteDecimal(value: Decimal): Decimal {
  return value.units < 0n ? { units: -value.units, scale: value.scale } : value;
}

/** The change in per cent of what was there before, cut after six decimals; undefined when that was nothing. */
export function percentChange(from: Decimal, to: Decimal): Decimal | undefined {
  if (from.units === 0n) return undefined;
  const scale = Math.max(from.scale, to.scale);
  const before = unitsAt(from, scale);
  const change = (unitsAt(to, scale) - before) * 100n * 10n ** BigInt(percentScale);
  return normalize(change / (before < 0n ? -before : before), percentScale);
}

/** Plain digits without exponent and without zeros at the end of the fraction. */
export function formatDecimal({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale);
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

const maxLength = 200;
const maxExponent = 400;
const percentScale = 6;
const decimalPattern = /^([+-])?(\d+(?:_\d+)*)?(?:\.(\d+(?:_\d+)*))?(?:[eE]([+-]?\d{1,4}))?$/;

function unitsAt(value: Decimal, scale: number): bigint {
  return value.units * 10n ** BigInt(scale - value.scale);
}

/** The least scale that is not negative, so that equal numbers have one form. */
function normalize(units: bigint, scale: number): Decimal {
  if (scale <= 0) return { units: units * 10n ** BigInt(-scale), scale: 0 };
  let [shorter, places] = [units, scale];
  while (places > 0 && shorter % 10n === 0n) {
    shorter /= 10n;
    places -= 1;
  }
  return { units: shorter, scale: places };
}

import { cutText } from './cutText.ts';
import { harmless } from './harmless.ts';
import { showNumber } from './showNumber.ts';

/**
 * A value from a chain for a sentence: `to: 0x…, amount: 5`. Long values are cut and text is made harmless; the
 * evidence of the alert has the whole.
 */
export function showValue(value: unknown, maxLength = 200): string {
  const text = print(value, 0);
  return text.length > maxLength ? `${cutText(text, maxLength - 1)}…` : text;
}

/** The change of a value: `5, it was 4`; if both read the same, the difference. */
export function showChange(
  after: unknown,
  before: unknown,
  show: (value: unknown) => string = showValue,
): string {
  const [now, was] = [show(after), show(before)];
  if (before === undefined) return now;
  if (now !== was || !isWhole(after) || !isWhole(before)) return `${now}, it was ${was}`;
  const change = BigInt(after) - BigInt(before);
  return `${now}, ${showNumber(change < 0n ? -change : change)} ${change < 0n ? 'less' : 'more'} than before`;
}

function isWhole(value: unknown): value is string | bigint {
  return typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value));
}

const maxDepth = 8;
const maxItems = 20;
/** A hash is shown whole. */
const maxBytes = 66;

function print(value: unknown, depth: number): string {
  if (typeof value === 'string') return printText(value);
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value)))
    return showNumber(BigInt(value));
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth === maxDepth) return '…';
  const entries = Object.entries(value).slice(0, maxItems);
  const more = Object.keys(value).length > maxItems ? ', …' : '';
  if (Array.isArray(value)) {
    const items = entries.map(([, item]) => print(item, depth + 1)).join(', ') + more;
    return depth === 0 ? items : `[${items}]`;
  }
  const members =
    entries.map(([name, item]) => `${harmless(name, 40)}: ${print(item, depth + 1)}`).join(', ') + more;
  return depth === 0 ? members : `(${members})`;
}

function printText(text: string): string {
  if (/^-?\d{1,78}$/.test(text)) return showNumber(BigInt(text));
  if (/^0x[0-9a-f]*$/i.test(text))
    return text.length > maxBytes ? `${text.slice(0, 18)}… (${(text.length - 2) >> 1} bytes)` : text;
  return harmless(text, 200);
}

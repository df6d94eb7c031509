import { literal, oneOf, type RegexNode } from './tree.ts';

/**
 * The decimal numbers from `min` to `max`: with exactly `digits` digits, or, if that is 0, with any number of zeros
 * in front.
 */
export function numberInterval(min: number, max: number, digits: number): RegexNode {
  if (digits > 0) return sameLength(String(min).padStart(digits, '0'), String(max).padStart(digits, '0'));
  const options: RegexNode[] = [];
  for (let length = String(min).length; length <= String(max).length; length++) {
    const from = Math.max(min, length === 1 ? 0 : 10 ** (length - 1));
    const to = Math.min(max, 10 ** length - 1);
    options.push(sameLength(String(from), String(to)));
  }
  const zeros: RegexNode = { type: 'repeat', of: digit('0'), min: 0, max: undefined };
  return { type: 'sequence', parts: [zeros, { type: 'union', options }] };
}

/** Either the first digits agree, or the rest is free between them and bounded at both ends. */
function sameLength(from: string, to: string): RegexNode {
  const rest = from.length - 1;
  if (rest < 0) return literal('');
  if (from[0] === to[0]) return sequence(digit(from), sameLength(from.slice(1), to.slice(1)));
  const options = [
    sequence(digit(from), sameLength(from.slice(1), '9'.repeat(rest))),
    sequence(digit(to), sameLength('0'.repeat(rest), to.slice(1))),
  ];
  const first = from.charCodeAt(0) + 1;
  const last = to.charCodeAt(0) - 1;
  if (first <= last) {
    const free: RegexNode = { type: 'repeat', of: oneOf(0x30, 0x39), min: rest, max: rest };
    options.push(sequence(oneOf(first, last), free));
  }
  return { type: 'union', options };
}

/** The first digit of a number. */
function digit(number: string): RegexNode {
  return oneOf(number.charCodeAt(0));
}

function sequence(...parts: RegexNode[]): RegexNode {
  return { type: 'sequence', parts };
}

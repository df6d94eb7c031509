import { invalidQuery, quote } from './invalidQuery.ts';
import type { Token } from './lex.ts';
import type { Group, Node } from './tree.ts';
import { unescapeText } from './unescapeText.ts';

const maxRegexLength = 1_000;
const maxSlop = 2_147_483_647;
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The node of a term, a quoted text or a pattern; `slop` is the tilde behind it. */
export function toValue(
  token: Token,
  slop: Token | undefined,
  field: string | undefined,
): Exclude<Node, Group> {
  const { offset } = token;
  if (token.type === 'quoted') {
    const text = unescapeText(token.text.slice(1, -1), offset + 1);
    return { type: 'phrase', field, offset, text, slop: toSlop(slop) };
  }
  // Escapes stay in a pattern, but a broken one is a fault there as well.
  const text = unescapeText(token.text, offset);
  if (token.type === 'star' || token.type === 'wildcard')
    return { type: 'wildcard', field, offset, pattern: token.text };
  if (token.type === 'prefix') return { type: 'prefix', field, offset, text: text.slice(0, -1) };
  if (token.type === 'regex') {
    const pattern = token.text.slice(1, -1);
    if (pattern.length > maxRegexLength) {
      throw invalidQuery(offset, `a regular expression may have ${maxRegexLength} characters`);
    }
    return { type: 'regex', field, offset, pattern };
  }
  if (slop === undefined) return { type: 'text', field, offset, text, isJoined: false };
  checkFuzziness(slop);
  return { type: 'fuzzy', field, offset, text };
}

/** Fractions are cut off; what is no number means none. */
function toSlop(token: Token | undefined): number {
  const text = token?.text.slice(1) ?? '';
  return decimal.test(text) ? Math.max(-1, Math.min(maxSlop, Math.trunc(Number(text)))) : 0;
}

function checkFuzziness(token: Token): void {
  const text = token.text.slice(1);
  if (text !== '' && text.toUpperCase() !== 'AUTO' && !decimal.test(text)) {
    throw invalidQuery(token.offset, `${quote(token.text)} needs a number after the tilde`);
  }
}

import type { AnyNode } from 'acorn';
import { childrenOf, parseScript } from './scriptTree.ts';

/** A text of a script, as it stands there. */
type ScriptText = { value: string; start: number; end: number };

/** Nothing shorter, and nothing else, is an address of any family. */
const mayHaveAddress = /0[xX][0-9a-fA-F]{40}|[0-9A-Za-z]{25}|[0-9a-z]{5}-[0-9a-z]{3,5}/;

/**
 * Rewrites addresses in a script to the form of its values, because people copy any form and comparison is exact.
 * `toForm` returns other texts unchanged. A script that is only a text stays unchanged.
 */
export function fixAddresses(source: string, toForm: (text: string) => string): string {
  let fixed = '';
  let from = 0;
  for (const { value, start, end } of scriptTexts(source)) {
    const form = toForm(value);
    if (form === value) continue;
    fixed += source.slice(from, start) + JSON.stringify(form);
    from = end;
  }
  return fixed + source.slice(from);
}

/** The texts in a script that may be addresses. */
export function scriptTexts(source: string): ScriptText[] {
  if (!mayHaveAddress.test(source)) return [];
  const parsed = parseScript(source);
  if (!parsed) return [];
  const { program, text } = parsed;
  const [only] = program.body;
  if (
    program.body.length === 1 &&
    only?.type === 'ExpressionStatement' &&
    toText(only.expression) !== undefined
  )
    return [];
  // As an expression it was parsed in brackets.
  const shift = text === source ? 0 : 1;
  const texts: ScriptText[] = [];
  visit(program);
  return texts.sort((left, right) => left.start - right.start);

  function visit(node: AnyNode): void {
    const value = toText(node);
    if (value !== undefined && mayHaveAddress.test(value))
      texts.push({ value, start: node.start - shift, end: node.end - shift });
    // A tagged template is no text.
    if (node.type === 'TaggedTemplateExpression') {
      visit(node.tag);
      for (const expression of node.quasi.expressions) visit(expression);
      return;
    }
    if (node.type === 'Property' && !node.computed && !node.shorthand) visit(node.key);
    for (const child of childrenOf(node)) visit(child);
  }
}

function toText(node: AnyNode): string | undefined {
  if (node.type === 'ParenthesizedExpression') return toText(node.expression);
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

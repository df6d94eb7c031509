import type { RegexNode } from './tree.ts';

/** The same texts without the empty one, written without a lookahead. */
export function nonEmpty(node: RegexNode): RegexNode {
  if (!fitsNothing(node)) return node;
  switch (node.type) {
    case 'sequence':
      // The first part that is not empty, and what follows it.
      return unionOf(
        node.parts.map((part, index) => sequenceOf([nonEmpty(part), ...node.parts.slice(index + 1)])),
      );
    case 'union':
      return unionOf(node.options.map(nonEmpty));
    case 'repeat': {
      const { of, max } = node;
      if (max === 0) return nothing;
      const rest: RegexNode = { type: 'repeat', of, min: 0, max: max === undefined ? undefined : max - 1 };
      return max === 1 ? nonEmpty(of) : sequenceOf([nonEmpty(of), rest]);
    }
    case 'nothing':
    case 'set':
    case 'intersection':
    case 'complement':
      return node;
  }
}

const nothing: RegexNode = { type: 'nothing' };

function sequenceOf(parts: readonly RegexNode[]): RegexNode {
  return parts.some(({ type }) => type === 'nothing') ? nothing : { type: 'sequence', parts };
}

function unionOf(all: readonly RegexNode[]): RegexNode {
  const options = all.filter(({ type }) => type !== 'nothing');
  return options.length === 0 ? nothing : { type: 'union', options };
}

/** True if it may fit an empty text. */
function fitsNothing(node: RegexNode): boolean {
  switch (node.type) {
    case 'nothing':
    case 'set':
      return false;
    case 'sequence':
      return node.parts.every(fitsNothing);
    case 'union':
      return node.options.some(fitsNothing);
    case 'repeat':
      return node.min === 0 || fitsNothing(node.of);
    case 'intersection':
    case 'complement':
      return true;
  }
}

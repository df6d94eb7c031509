import { type AnyNode, type Pattern, type Program, type Property, parse } from 'acorn';

/** The syntax tree of a script and the text that its positions refer to; undefined where the sandbox must judge alone. */
export function parseScript(source: string): { program: Program; text: string } | undefined {
  const expression = `(${source.replace(/[;\s]+$/, '')}\n)`;
  for (const text of [expression, source]) {
    try {
      const program = parse(text, { ecmaVersion: 'latest', allowReturnOutsideFunction: true });
      return { program, text };
    } catch (error) {
      // A RangeError: nested too deeply for this parser.
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    }
  }
  return undefined;
}

export function childrenOf(node: AnyNode): AnyNode[] {
  return Object.entries(node).flatMap(([name, value]: [string, unknown]) => {
    // Names that are no references.
    if (name === 'label' || node.type === 'MetaProperty') return [];
    if (name === 'key' && !('computed' in node && node.computed)) return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Every name that a part of a script declares. */
export function declaredNames(node: AnyNode): string[] {
  const declared =
    node.type === 'VariableDeclarator'
      ? patternNames(node.id)
      : 'params' in node
        ? node.params.flatMap(patternNames)
        : node.type === 'CatchClause' && node.param
          ? patternNames(node.param)
          : [];
  const id = 'id' in node && node.id?.type === 'Identifier' ? [node.id.name] : [];
  return [...declared, ...id, ...childrenOf(node).flatMap(declaredNames)];
}

export function patternNames(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        patternNames(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? patternNames(element) : []));
    case 'RestElement':
      return patternNames(pattern.argument);
    case 'AssignmentPattern':
      return patternNames(pattern.left);
    case 'MemberExpression':
      return [];
  }
}

/** The member that is read, if that is known before the script runs. */
export function memberName(node: Extract<AnyNode, { type: 'MemberExpression' }>): string | undefined {
  return nameOf(node.property, node.computed);
}

export function keyName({ key, computed }: Pick<Property, 'key' | 'computed'>): string | undefined {
  return nameOf(key, computed);
}

function nameOf(node: AnyNode, computed: boolean): string | undefined {
  if (!computed && node.type === 'Identifier') return node.name;
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** The number or text that is written there. */
export function constantOf(node: AnyNode): number | string | undefined {
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const value = constantOf(node.argument);
    return typeof value === 'number' ? -value : undefined;
  }
  if (node.type === 'ParenthesizedExpression') return constantOf(node.expression);
  if (node.type !== 'Literal') return undefined;
  if (typeof node.value === 'bigint') return Number(node.value);
  return typeof node.value === 'number' || typeof node.value === 'string' ? node.value : undefined;
}

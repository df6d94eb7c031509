import type { AnyNode, Pattern } from 'acorn';
import { nearest } from '../lib/nearest.ts';
import { findComparisonMistake } from './findComparisonMistake.ts';
import {
  childrenOf,
  constantOf,
  declaredNames,
  keyName,
  memberName,
  parseScript,
  patternNames,
} from './scriptTree.ts';
import { anything, type Mistake, type RecordShape, type ValueShape } from './valueShape.ts';

type Names = Map<string, ValueShape>;
type NodeOf<T extends AnyNode['type']> = Extract<AnyNode, { type: T }>;

/**
 * Finds what a script that compiles gets wrong about its values: names and members that do not exist, and comparisons that
 * cannot hold. It looks at every branch, which a trial run does not.
 */
export function findMistakes(source: string, values: Readonly<Record<string, ValueShape>>): Mistake[] {
  const parsed = parseScript(source);
  if (!parsed) return [];
  const { program, text } = parsed;
  const mistakes = new Map<string, Mistake>();
  const report = (mistake: Mistake) => mistakes.set(mistake.message, mistake);
  const refuse = (message: string) => report({ message, isFault: true });
  const declared = new Set(declaredNames(program));
  visit(program, new Map(Object.entries(values)));
  return [...mistakes.values()];

  function visit(node: AnyNode, names: Names): void {
    if (node.type === 'Identifier') checkName(node.name, names);
    else if (isFunction(node)) visitChildren(node, hide(names, declaredNames(node)));
    else if (node.type === 'CatchClause')
      visitChildren(node, hide(names, node.param ? patternNames(node.param) : []));
    else if (node.type === 'VariableDeclaration')
      for (const { id, init } of node.declarations) {
        if (init) visit(init, names);
        bind(id, init && node.kind === 'const' ? shapeOf(init, names) : anything, names);
      }
    else if (node.type === 'MemberExpression') {
      checkMember(node, names);
      visit(node.object, names);
      if (node.computed) visit(node.property, names);
    } else if (!isTypeofName(node)) {
      for (const [left, operator, right] of comparisonsOf(node)) check(left, operator, right, names);
      visitChildren(node, names);
    }
  }

  function visitChildren(node: AnyNode, names: Names): void {
    for (const child of childrenOf(node)) visit(child, names);
  }

  /** Follows constants that stand for a value or for a part of one. */
  function bind(pattern: Pattern, shape: ValueShape, names: Names): void {
    if (pattern.type === 'Identifier') names.set(pattern.name, shape);
    else if (pattern.type === 'ObjectPattern')
      for (const property of pattern.properties) {
        const name = property.type === 'RestElement' ? undefined : keyName(property);
        if (shape.type === 'record' && name !== undefined && !shape.members[name])
          refuse(unknownMember('it', name, shape));
        if (property.type !== 'RestElement') bind(property.value, memberOf(shape, name), names);
        else bind(property.argument, anything, names);
      }
    else for (const name of patternNames(pattern)) names.set(name, anything);
  }

  function checkName(name: string, names: Names): void {
    if (names.has(name) || declared.has(name) || scriptGlobals.includes(name)) return;
    refuse(`${name} is not defined; ${suggestName(name, values)}`);
  }

  function checkMember(node: NodeOf<'MemberExpression'>, names: Names): void {
    const shape = shapeOf(node.object, names);
    const name = memberName(node);
    if (name === undefined || shape.type !== 'record' || findMember(shape, name)) return;
    refuse(unknownMember(textOf(node.object), name, shape));
  }

  function check(left: AnyNode, operator: string, right: AnyNode, names: Names): void {
    const side = (node: AnyNode) => ({
      text: textOf(node),
      shape: shapeOf(node, names),
      constant: constantOf(node),
    });
    const mistake = findComparisonMistake(side(left), operator, side(right));
    if (mistake) report(mistake);
  }

  function textOf({ start, end }: AnyNode): string {
    return text.slice(start, end);
  }
}

/** Globals that a script may name beside its values; the sandbox has removed everything else. */
export const scriptGlobals: readonly string[] =
  `AggregateError Array BigInt Boolean Date Error EvalError Infinity Iterator JSON Map Math NaN Number Object RangeError
  ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError WeakMap WeakSet arguments decodeURI
  decodeURIComponent encodeURI encodeURIComponent globalThis isFinite isNaN lower parseFloat parseInt undefined`.split(
    /\s+/,
  );

function hide(names: Names, hidden: readonly string[]): Names {
  return new Map([...names, ...hidden.map((name): [string, ValueShape] => [name, anything])]);
}

function isFunction(node: AnyNode): boolean {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
}

/** `typeof` of an unknown name is no error. */
function isTypeofName(node: AnyNode): boolean {
  return node.type === 'UnaryExpression' && node.operator === 'typeof' && node.argument.type === 'Identifier';
}

/** Comparisons of a node; a switch and `['HIGH', 'CRITICAL'].includes(e.severity)` compare with each. */
function comparisonsOf(node: AnyNode): [AnyNode, string, AnyNode][] {
  if (node.type === 'BinaryExpression') return [[node.left, node.operator, node.right]];
  if (node.type === 'SwitchStatement')
    return node.cases.flatMap(({ test }) => (test ? [[node.discriminant, '===', test]] : []));
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return [];
  const { object } = node.callee;
  const [value] = node.arguments;
  if (object.type !== 'ArrayExpression' || memberName(node.callee) !== 'includes' || !value) return [];
  return object.elements.flatMap((element) => (element ? [[value, '===', element]] : []));
}

function shapeOf(node: AnyNode, names: Names): ValueShape {
  if (node.type === 'Identifier') return names.get(node.name) ?? anything;
  if (node.type === 'ChainExpression' || node.type === 'ParenthesizedExpression')
    return shapeOf(node.expression, names);
  if (node.type === 'MemberExpression') return memberOf(shapeOf(node.object, names), memberName(node));
  // `e.getTxHash()` is `e.txHash`.
  if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression')
    return memberName(node.callee)?.startsWith('get') ? shapeOf(node.callee, names) : anything;
  return anything;
}

function memberOf(shape: ValueShape, name: string | undefined): ValueShape {
  return (shape.type === 'record' && name !== undefined && findMember(shape, name)) || anything;
}

function findMember({ members }: RecordShape, name: string): ValueShape | undefined {
  if (Object.hasOwn(members, name)) return members[name];
  const getter = /^get(.)(.*)$/.exec(name);
  const read = getter && [`${getter[1]!.toLowerCase()}${getter[2]}`, name.slice(3)];
  const found = read?.find((member) => Object.hasOwn(members, member));
  if (found !== undefined) return members[found];
  return name in Object.prototype ? anything : undefined;
}

function unknownMember(path: string, name: string, { members }: RecordShape): string {
  const names = Object.keys(members);
  const [nested] = Object.entries(members).flatMap(([member, shape]) =>
    shape.type === 'record' && Object.hasOwn(shape.members, name) ? [`${member}.${name}`] : [],
  );
  const guess = nested ?? longestPrefix(name, names) ?? nearest(name, names);
  const hint = guess ? `did you mean ${path === 'it' ? '' : `${path}.`}${guess}? It has` : 'it has';
  return `${path} has no member ${name}; ${hint} ${names.join(', ') || 'none'}`;
}

/** `severityName` begins with `severity`. */
function longestPrefix(name: string, members: readonly string[]): string | undefined {
  const candidates = members.filter((member) => name.startsWith(member) && member.length > 3);
  return candidates.sort((left, right) => right.length - left.length)[0];
}

function suggestName(name: string, values: Readonly<Record<string, ValueShape>>): string {
  for (const [path, shape] of Object.entries(values)) {
    if (shape.type !== 'record') continue;
    if (Object.hasOwn(shape.members, name)) return `did you mean ${path}.${name}?`;
    for (const [member, inner] of Object.entries(shape.members))
      if (inner.type === 'record' && Object.hasOwn(inner.members, name))
        return `did you mean ${path}.${member}.${name}?`;
  }
  return `the script sees ${Object.keys(values).join(', ')}`;
}

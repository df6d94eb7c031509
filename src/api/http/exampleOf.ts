import type { TSchema } from 'typebox';

type Node = {
  type?: string | string[];
  properties?: Record<string, TSchema>;
  items?: TSchema;
  examples?: unknown[];
  enum?: unknown[];
  readOnly?: boolean;
};

/** An example that fits the schema, put together from the examples of its members. */
export function exampleOf(schema: TSchema): unknown {
  const node: Node = schema;
  if (node.examples && node.examples.length > 0) return node.examples[0];
  const type = Array.isArray(node.type) ? node.type[0] : node.type;
  if (type === 'object') {
    const members = Object.entries(node.properties ?? {}).filter(([, member]) => !('readOnly' in member));
    return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member)]));
  }
  if (type === 'array') return node.items ? [exampleOf(node.items)] : [];
  throw new Error(`A schema has no example: ${JSON.stringify(schema).slice(0, 200)}`);
}

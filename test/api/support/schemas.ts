import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';

/** What the tests read of a JSON schema. */
export type Node = {
  type?: string | string[];
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  additionalProperties?: boolean | Node;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  uniqueItems?: boolean;
  pattern?: string;
  format?: string;
  description?: string;
  examples?: unknown[];
  example?: unknown;
  default?: unknown;
  readOnly?: boolean;
  /** What an item without an id must have. */
  else?: { required?: string[] };
  $ref?: string;
};

export function nodeOf(schema: TSchema | undefined): Node {
  return schema ?? {};
}

export function typesOf(node: Node): string[] {
  return [node.type ?? []].flat();
}

/** Strict: a keyword that JSON Schema does not know is a fault of the schema. */
const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  ownProperties: true,
  code: { optimize: false },
});

/** Written here a second time, so that a format that takes too much is noticed. */
const formats: Record<string, RegExp> = {
  email: /^[^\s@]+@[A-Za-z0-9.-]+$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  amount: /^\d+(\.\d+)?$/,
  webAddress: /^https?:\/\//,
  name: /^[^\p{Cc}]*$/u,
  gasTip: /^(\d+(\.\d+)?)?$/,
  gasPrice: /^(market|slow|fast|fastest|\d+(\.\d+)?)$/,
};
for (const [name, pattern] of Object.entries(formats)) ajv.addFormat(name, pattern);

const compiled = new WeakMap<object, ValidateFunction>();

/** What is wrong with the schema itself, which the product does not ask. */
export function faultsOfSchema(schema: TSchema | Node): string[] {
  if (ajv.validateSchema(schema)) return [];
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}

/** What is wrong with the value, as lines for people. */
export function faultsOf(schema: TSchema | Node, value: unknown): string[] {
  const check = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, check);
  if (check(value)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
  );
}

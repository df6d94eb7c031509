import { useLoad } from './useLoad.ts';

/** As much of JSON Schema as forms are made from. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: readonly unknown[];
  format?: string;
  readOnly?: boolean;
  writeOnly?: boolean;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  /** Members of a nested object that come first and are not folded away. */
  'x-order'?: readonly string[];
  /** What people call the values of a menu. */
  'x-words'?: Readonly<Record<string, string>>;
  /** What the choice of nothing says in a menu. */
  'x-none'?: string;
  /** What the button says that adds an item. */
  'x-add'?: string;
};

type Operation = { requestBody?: { content: Record<string, { schema: Schema }> } };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

let document_: Promise<Document> | undefined;

/** The next form reads the API's description again. */
export function forgetSchemas(): void {
  document_ = undefined;
}

/** The schema of the body that an endpoint takes, such as `POST /contract`, from the API's own description. */
export async function bodySchema(endpoint: string): Promise<Schema> {
  document_ ??= fetch(new URL('openapi.json', document.baseURI)).then((response) => response.json());
  const [method, path] = endpoint.split(' ') as [string, string];
  const { paths, components } = await document_.catch((error: unknown) => {
    document_ = undefined;
    throw error;
  });
  const schema =
    paths[`/api/v1${path}`]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
  if (!schema) throw new Error(`The API describes no body of ${endpoint}.`);
  return expand(schema, components.schemas);
}

/** The schema with others in place of the names that stand for them. */
function expand(schema: Schema, named: Record<string, Schema>): Schema {
  const each = (part: Schema) => expand(part, named);
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return each(named[name] ?? {});
  const { items, properties, additionalProperties, anyOf, oneOf } = schema;
  // A name that may be null too.
  if (anyOf?.length === 2 && anyOf[0]?.$ref && anyOf[1]?.type === 'null') {
    const plain = each(anyOf[0]);
    const type = [plain.type ?? [], 'null'].flat();
    return { ...plain, type, ...(plain.enum ? { enum: [...plain.enum, null] } : {}) };
  }
  return {
    ...schema,
    ...(items && { items: each(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, each(part)])),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: each(additionalProperties) }),
    ...(anyOf && { anyOf: anyOf.map(each) }),
    ...(oneOf && { oneOf: oneOf.map(each) }),
  };
}

export function useBodySchema(endpoint: string): Schema | undefined {
  return useLoad(endpoint, () => bodySchema(endpoint)).data;
}

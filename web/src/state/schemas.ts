import { useLoad } from './useLoad.ts';

/** As much of JSON Schema as forms are made from. */
export type Schema = {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: readonly unknown[];
  format?: string;
  readOnly?: boolean;
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
};

type Operation = { requestBody?: { content: Record<string, { schema: Schema }> } };
type Document = { paths: Record<string, Record<string, Operation>> };

let document_: Promise<Document> | undefined;

/** The schema of the body that an endpoint takes, such as `POST /contract`, from the API's own description. */
export async function bodySchema(endpoint: string): Promise<Schema> {
  document_ ??= fetch(new URL('openapi.json', document.baseURI)).then((response) => response.json());
  const [method, path] = endpoint.split(' ') as [string, string];
  const { paths } = await document_.catch((error: unknown) => {
    document_ = undefined;
    throw error;
  });
  const schema =
    paths[`/api/v1${path}`]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
  if (!schema) throw new Error(`The API describes no body of ${endpoint}.`);
  return schema;
}

export function useBodySchema(endpoint: string): Schema | undefined {
  return useLoad(endpoint, () => bodySchema(endpoint)).data;
}

import { isRecord } from '../../lib/isRecord.ts';

type Json = Record<string, unknown>;
type Operation = {
  operationId: string;
  parameters: unknown[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
type Content = { content?: Record<string, { schema: unknown }>; headers?: Json };

/**
 * Moves records, bodies, replies and repeated shapes to `components.schemas`, under a name. Generators name their types
 * by it, and the document is a third of the size.
 */
export function nameSchemas(document: Json): Json {
  const paths = document.paths as Record<string, Record<string, Operation>>;
  const webhooks = (document.webhooks ?? {}) as typeof paths;
  const components = document.components as Json;
  const names = createNames(Object.keys(components.schemas as Json));
  const tops = [...topSchemas(paths), ...topSchemas(webhooks)];
  // Records first: what a body or a list has of them is called the same.
  for (const rank of ['family', 'record', 'body', 'reply'] as const)
    for (const top of tops.filter((candidate) => candidate.rank === rank)) names.add(top.schema, [top.name]);
  const counts = new Map<string, number>();
  for (const { schema } of tops) countParts(schema, counts);
  for (const { schema } of tops) nameParts(schema, names.of(schema) ?? '', counts, names);

  const schemas: Json = { ...(components.schemas as Json) };
  for (const [name, schema] of names.entries()) schemas[name] = mapParts(schema, refer);
  const shared = createShared();
  const mapAll = (operations: typeof paths) => mapContents(operations, refer, shared.refer);
  return {
    ...document,
    paths: mapAll(paths),
    ...(document.webhooks ? { webhooks: mapAll(webhooks) } : {}),
    components: { ...components, ...shared.components(), schemas: sorted(schemas) },
  };

  function refer(schema: unknown): unknown {
    const name = names.of(schema);
    if (name === undefined) return mapParts(schema, refer);
    const $ref = `#/components/schemas/${name}`;
    return isNullable(schema) ? { anyOf: [{ $ref }, { type: 'null' }] } : { $ref };
  }
}

/** Names by the schema that they stand for; one that is taken goes on to the next. */
function createNames(taken: readonly string[]) {
  const byKey = new Map<string, string>();
  const byName = new Map<string, unknown>(taken.map((name) => [name, undefined]));
  return {
    of: (schema: unknown) => (isNamable(schema) ? byKey.get(keyOf(schema)) : undefined),
    add(schema: unknown, wanted: readonly string[]) {
      if (!isNamable(schema)) return;
      const key = keyOf(schema);
      if (byKey.has(key)) return;
      const last = wanted.at(-1) ?? '';
      const numbered = Array.from({ length: 99 }, (_, n) => `${last}${n + 2}`);
      const name = [...wanted, ...numbered].find((candidate) => candidate !== '' && !byName.has(candidate));
      if (name === undefined) throw new Error(`No name is free for a schema: ${key.slice(0, 200)}`);
      byKey.set(key, name);
      byName.set(name, withoutNull(schema));
    },
    entries: () => [...byName].filter(([, schema]) => schema !== undefined),
  };
}

/** Parameters, headers and failures that many operations have alike. */
function createShared() {
  const byKind = new Map<string, Map<string, { name: string; value: unknown }>>();
  return {
    refer(kind: 'parameters' | 'headers' | 'responses', wanted: string, value: unknown): unknown {
      const named = byKind.get(kind) ?? new Map<string, { name: string; value: unknown }>();
      byKind.set(kind, named);
      const key = JSON.stringify(value);
      const taken = new Set([...named.values()].map(({ name }) => name));
      const names = [wanted, ...Array.from({ length: 99 }, (_, n) => `${wanted}${n + 2}`)];
      const entry = named.get(key) ?? { name: names.find((name) => !taken.has(name)) ?? key, value };
      named.set(key, entry);
      return { $ref: `#/components/${kind}/${entry.name}` };
    },
    components: () =>
      Object.fromEntries(
        [...byKind].map(([kind, named]) => [
          kind,
          sorted(Object.fromEntries([...named.values()].map(({ name, value }) => [name, value]))),
        ]),
      ),
  };
}

/** A nullable schema has the name of its other type. */
function withoutNull({ type, enum: words, ...rest }: Json): Json {
  const types = Array.isArray(type) ? type.filter((item) => item !== 'null') : [type];
  return {
    type: types.length === 1 ? types[0] : types,
    ...(Array.isArray(words) ? { enum: words.filter((word) => word !== null) } : {}),
    ...rest,
  };
}

function isNullable(schema: unknown): boolean {
  return isRecord(schema) && Array.isArray(schema.type) && schema.type.includes('null');
}

function keyOf(schema: Json): string {
  return JSON.stringify(withoutNull(schema));
}

/** Objects with members, and lists of words that are long enough to have a meaning. */
function isNamable(schema: unknown): schema is Json {
  if (!isRecord(schema)) return false;
  if (isRecord(schema.properties)) return Object.keys(schema.properties).length > 0;
  return Array.isArray(schema.enum) && schema.enum.length >= 3;
}

function topSchemas(paths: Record<string, Record<string, Operation>>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const id = capital(operation.operationId);
      const record = method === 'get' ? /^\/api\/v1\/([\w/]+)\/\{(?:id|uid)\}$/.exec(path)?.[1] : undefined;
      const bodies = contents(operation.requestBody).map((schema) => ({
        rank: families[path] === undefined ? ('body' as const) : ('family' as const),
        name: families[path] ?? (id.endsWith('Webhook') ? id : `${id}Body`),
        schema,
      }));
      const replies = Object.entries(operation.responses)
        .filter(([status]) => Number(status) < 300)
        .flatMap(([, response]) => contents(response))
        .map((schema) => ({
          rank: record === undefined ? ('reply' as const) : ('record' as const),
          name: record === undefined ? replyName(operation.operationId) : pascal(record),
          schema,
        }));
      return [...bodies, ...replies];
    }),
  );
}

/** All searches of a family take the same, by one of them. */
const families: Readonly<Record<string, string>> = {
  '/api/v1/project/search': 'WhereSearch',
  '/api/v1/alert/search': 'QuerySearch',
};

function replyName(id: string): string {
  const searched = /^search(\w+)$/.exec(id)?.[1];
  return searched === undefined ? `${capital(id)}Reply` : `${singular(searched)}Page`;
}

function contents({ content = {} }: Content = {}): unknown[] {
  return Object.values(content).map(({ schema }) => schema);
}

function mapContents(
  paths: Record<string, Record<string, Operation>>,
  map: (schema: unknown) => unknown,
  share: ReturnType<typeof createShared>['refer'],
): Json {
  const mapContent = <T extends Content>(part: T): T => ({
    ...part,
    ...(part.headers === undefined
      ? {}
      : { headers: mapNamed(part.headers, (name, header) => share('headers', name, header)) }),
    ...(part.content === undefined
      ? {}
      : { content: mapValues(part.content, (media) => ({ ...media, schema: map(media.schema) })) }),
  });
  const mapParameter = (parameter: unknown) =>
    isRecord(parameter) && parameter.in !== 'path'
      ? share('parameters', String(parameter.name), parameter)
      : parameter;
  return mapValues(paths, (methods) =>
    mapValues(methods, (operation) => ({
      ...operation,
      parameters: operation.parameters.map(mapParameter),
      ...(operation.requestBody ? { requestBody: mapContent(operation.requestBody) } : {}),
      responses: mapNamed(operation.responses, (status, response) =>
        Number(status) < 400
          ? mapContent(response)
          : share('responses', failures[status] ?? `Status${status}`, response),
      ),
    })),
  );
}

/** The schemas directly within a schema, each with the word that it stands under. */
function partsOf(schema: unknown): [string, unknown][] {
  if (!isRecord(schema)) return [];
  const { properties, items, anyOf, oneOf, additionalProperties } = schema;
  return [
    ...(isRecord(properties) ? Object.entries(properties) : []),
    ...(isRecord(items) ? [['', items] as [string, unknown]] : []),
    ...[anyOf, oneOf].flatMap((list) =>
      Array.isArray(list) ? list.map((item): [string, unknown] => ['', item]) : [],
    ),
    ...(isRecord(additionalProperties) ? [['', additionalProperties] as [string, unknown]] : []),
  ];
}

function mapParts(schema: unknown, map: (schema: unknown) => unknown): unknown {
  if (!isRecord(schema)) return schema;
  // Members that an item without an id needs are described in words, because generators trip over conditions.
  const { if: _if, else: _else, ...plain } = schema;
  const { properties, items, anyOf, oneOf, additionalProperties } = plain;
  return {
    ...plain,
    ...(isRecord(properties) ? { properties: mapValues(properties, map) } : {}),
    ...(isRecord(items) ? { items: map(items) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(map) } : {}),
    ...(Array.isArray(oneOf) ? { oneOf: oneOf.map(map) } : {}),
    ...(isRecord(additionalProperties) ? { additionalProperties: map(additionalProperties) } : {}),
  };
}

function countParts(schema: unknown, counts: Map<string, number>): void {
  for (const [, part] of partsOf(schema)) {
    if (isNamable(part)) {
      const key = keyOf(part);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    countParts(part, counts);
  }
}

function nameParts(
  schema: unknown,
  parent: string,
  counts: ReadonlyMap<string, number>,
  names: ReturnType<typeof createNames>,
): void {
  for (const [suffix, part] of partsOf(schema)) {
    const word =
      suffix === '' ? '' : pascal(isRecord(part) && part.type === 'array' ? singular(suffix) : suffix);
    const count = isNamable(part) ? (counts.get(keyOf(part)) ?? 0) : 0;
    // A short word, such as `type`, means something else in each record.
    const plain = word === 'Status' && count > 20 ? 'RecordStatus' : word;
    const isPlain = /[a-z][A-Z]/.test(plain) || plain === 'Severity' || plain === 'Finality';
    if (isNamable(part) && typeof part.title === 'string') names.add(part, [part.title]);
    else if (isNamable(part) && count > 1)
      names.add(part, isPlain ? [plain, `${parent}${word}`] : [`${parent}${word}`, `${parent}Item`]);
    nameParts(part, names.of(part) ?? `${parent}${word}`, counts, names);
  }
}

function singular(word: string): string {
  return word.endsWith('series') ? word : word.replace(/ies$/, 'y').replace(/s$/, '');
}

function mapValues<T, U>(record: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

function mapNamed<T, U>(record: Record<string, T>, map: (name: string, value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]));
}

/** Names of status codes. */
const failures: Readonly<Record<string, string>> = {
  400: 'Invalid',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  429: 'RateLimited',
  431: 'HeadersTooLarge',
  500: 'Internal',
  503: 'Unavailable',
};

function sorted(record: Json): Json {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** `tokenomics/category` and `SECURITY` as names. */
function pascal(path: string): string {
  return path
    .split('/')
    .map((word) => capital(/^[A-Z_]+$/.test(word) ? word.toLowerCase() : word))
    .join('');
}

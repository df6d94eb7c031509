// `npm run client`: writes the generated part of sdk/ from the OpenAPI document; `--check` fails when it is out of date.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const prefix = '/api/v1';
const note = '// Generated from the OpenAPI document by `npm run client`; do not edit it by hand.\n';
/** Lists that an administrator adds to. */
const openLists = new Set(['ChainUid']);

/** Smaller objects are written out where they stand. */
const fewest = 4;
/** Longer rows of the table of endpoints are broken. */
const widest = 110;
/** The kind decides what its configuration has. */
const byKind = { createDetector: 'DetectorOf', createTrigger: 'TriggerOf' };

const { endpoints, document, kinds } = await loadApi();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    key: `${method.toUpperCase()} ${path.slice(prefix.length)}`,
    operation,
  })),
);
let shapes = new Map();
shapes = nameShapes();
const files = { 'api.ts': printApi(), 'configs.ts': printConfigs(), 'effects.ts': printEffects() };
const stale = Object.entries(files).filter(([file, text]) => readOr('', file) !== text);
if (!process.argv.includes('--check')) for (const [file, text] of stale) writeFileSync(pathOf(file), text);
else if (stale.length > 0) {
  process.stdout.write('sdk/ is out of date with the API; `npm run client` writes it again.\n');
  process.exit(1);
}

/** Compiles the sources without checking them, which `npm run check` does beside this. */
async function loadApi() {
  const require = createRequire(import.meta.url);
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
  const out = join(root, 'node_modules', '.cache', 'vigil-api');
  const { status } = spawnSync(
    process.execPath,
    [tsc, '-p', join(root, 'tsconfig.build.json'), '--noCheck', '--sourceMap', 'false', '--outDir', out],
    { stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
  const load = (file) => import(pathToFileURL(join(out, file)).href);
  const { openApiDocument } = await load('api/http/openApiDocument.js');
  const { webhookMessages } = await load('api/endpoints/destinations/webhookMessages.js');
  const { endpointsFor } = await load('runtime/startServer.js');
  const { loadConfig } = await load('runtime/config/loadConfig.js');
  const { configSchema } = await load('detectors/configSchema.js');
  const { detectors } = await load('detectors/detectors.js');
  const { triggers } = await load('triggers/triggers.js');
  const kinds = {
    detectors: Array.from(detectors.values(), (definition) => [definition.name, configSchema(definition)]),
    triggers: Array.from(triggers.values(), ({ type, params }) => [type, params]),
  };
  const endpoints = endpointsFor(loadConfig({}));
  return { endpoints, kinds, document: openApiDocument(endpoints, webhookMessages, '') };
}

function printApi() {
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `${comment(schema.description, 0)}export type ${name} = ${printNamed(name, schema)}${openLists.has(name) ? ' | (string & {})' : ''};\n`,
  );
  types.push(
    ...Array.from(shapes.values())
      .filter(({ schema }) => schema)
      .map(({ name, schema }) => `export type ${name} = ${printObject(schema, 0)};\n`),
  );
  const rows = operations.map(
    ({ key, operation }) => `${comment(operation.summary, 1)}  '${key}': ${printOperation(operation)};\n`,
  );
  const webhooks = Object.values(document.webhooks).map(({ post }) => printType(bodySchema(post)));
  return `${note}
import type { DetectorOf, TriggerOf } from './configs.ts';

${types.join('\n')}
/** What Vigil sends to webhooks. */
export type Webhook = ${webhooks.join(' | ')};

/** Every endpoint: what it takes and what it answers. */
export interface Api {
${rows.join('')}}
`;
}

function printOperation(operation) {
  const body = operation.requestBody;
  const members = [
    ...['path', 'query'].flatMap((place) => printParameters(operation, place)),
    ...(body ? [`body${body.required ? '' : '?'}: ${printBody(operation)}`] : []),
    `reply: ${printType(replySchema(operation), 2)}`,
  ];
  const line = `{ ${members.join('; ')} }`;
  return line.length <= widest && !line.includes('\n')
    ? line
    : `{\n${members.map((member) => `    ${member};\n`).join('')}  }`;
}

/** Once each member of a schema is that of a larger one, it is a part of it. */
function printNamed(name, schema) {
  const names = Object.keys(schema.properties ?? {});
  const whole = names.length < 4 ? undefined : largestWith(name, schema);
  if (!whole) return printType(schema);
  const [wholeName, { properties, required = [] }] = whole;
  const others = Object.keys(properties).filter((each) => !names.includes(each));
  const list = (words) => words.map((each) => `'${each}'`).join(' | ');
  const [word, listed] = others.length < names.length ? ['Omit', others] : ['Pick', names];
  const part = others.length === 0 ? wholeName : `${word}<${wholeName}, ${list(listed)}>`;
  const own = new Set(schema.required);
  if (names.every((each) => own.has(each) === required.includes(each))) return part;
  return own.size === 0 ? `Partial<${part}>` : `Required<${part}>`;
}

function largestWith(name, { properties, required = [] }) {
  const names = Object.keys(properties);
  const print = (schema) => schema && `${printType(schema)} ${wordsOf(schema)}`;
  const texts = new Map(names.map((each) => [each, print(properties[each])]));
  return Object.entries(document.components.schemas).find(([other, schema]) => {
    const theirs = schema.properties ?? {};
    const size = Object.keys(theirs).length;
    if (other === name || size < names.length || (size === names.length && other > name)) return false;
    if (names.some((each) => print(theirs[each]) !== texts.get(each))) return false;
    const isAlike = names.every((each) => required.includes(each) === (schema.required ?? []).includes(each));
    return isAlike || required.length === 0 || required.length === names.length;
  });
}

/** Names by the text of an object: of the schema that prints alike, or a new one where several places do. */
function nameShapes() {
  const named = document.components.schemas;
  const found = new Map();
  const walk = (schema, path, isTop) => {
    if (!schema || typeof schema !== 'object') return;
    const properties = Object.entries(schema.properties ?? {});
    if (!isTop && properties.length >= fewest) {
      const text = shapeOf(schema);
      const places = found.get(text) ?? { count: 0, path, schema };
      found.set(text, { ...places, count: places.count + 1 });
    }
    for (const [name, each] of properties) walk(each, `${path}${name[0].toUpperCase()}${name.slice(1)}`);
    for (const each of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? schema.oneOf ?? [])])
      walk(each, path);
  };
  for (const [name, schema] of Object.entries(named)) walk(schema, name, true);
  const result = new Map();
  for (const [name, schema] of Object.entries(named)) {
    const isObject = Object.keys(schema.properties ?? {}).length >= fewest;
    if (isObject && !result.has(shapeOf(schema))) result.set(shapeOf(schema), { name });
  }
  for (const [text, { count, path, schema }] of found)
    if (count > 1 && !result.has(text))
      result.set(text, { name: named[path] ? `${path}Shape` : path, schema });
  return result;
}

/** The text of an object in full, without names of shapes. */
function shapeOf(schema) {
  const before = shapes;
  shapes = new Map();
  const text = printObject(schema, 0);
  shapes = before;
  return text;
}

function printBody(operation) {
  const type = printType(bodySchema(operation), 2);
  const ofKind = byKind[operation.operationId];
  return ofKind ? `${ofKind}<${type}>` : type;
}

function printConfigs() {
  const common = ['severity', 'cooldown', 'desc', 'tags'];
  const [[, first]] = kinds.detectors;
  const pick = (schema, isPicked) => ({
    properties: Object.fromEntries(
      Object.entries(schema.properties ?? {}).filter(([name]) => isPicked(name)),
    ),
    // What has a default may be left out.
    required: (schema.required ?? []).filter((name) => schema.properties[name].default === undefined),
  });
  const shared = pick(first, (name) => common.includes(name));
  // The words of `desc` name the members of one kind.
  shared.properties.desc = {
    ...shared.properties.desc,
    description: 'Message of its alerts, with {member} for what was found.',
  };
  const rows = (list, isPicked, also) =>
    list
      .map(([name, schema]) => {
        const own = pick(schema, isPicked);
        const hasOwn = Object.keys(own.properties).length > 0;
        const parts = [...(hasOwn ? [printObject(own, 1)] : []), ...also];
        return `${comment(schema.description, 1)}  ${name}: ${parts.join(' & ') || 'Record<string, never>'};\n`;
      })
      .join('');
  return `${note}
/** What every detector takes in its \`config\`. */
export type CommonConfig = ${printObject(shared, 0)};

/** The \`config\` of a detector by its kind. */
export interface DetectorConfigs {
${rows(kinds.detectors, (name) => !common.includes(name), ['CommonConfig'])}}

/** The \`params\` of a trigger by its kind. */
export interface TriggerParams {
${rows(kinds.triggers, () => true, [])}}

/** A new detector: of a kind of Vigil's by \`schemaName\`, with the \`config\` of that kind; of a schema of your own by \`schemaId\`. */
export type DetectorOf<Body> =
  | (Omit<Body, 'schemaName' | 'config' | 'schemaId'> &
      { [Kind in keyof DetectorConfigs]: { schemaName: Kind; config?: DetectorConfigs[Kind] } }[keyof DetectorConfigs])
  | (Omit<Body, 'schemaName'> & { schemaId: number });

/** A new trigger, with the \`params\` of its \`triggerType\`. */
export type TriggerOf<Body> = Omit<Body, 'triggerType' | 'params'> &
  { [Kind in keyof TriggerParams]: { triggerType: Kind; params?: TriggerParams[Kind] } }[keyof TriggerParams];
`;
}

function bodySchema({ requestBody }) {
  return Object.values(requestBody.content)[0].schema;
}

function printParameters({ parameters }, place) {
  const own = parameters.map(resolve).filter((parameter) => parameter.in === place);
  if (own.length === 0) return [];
  // The path says what its numbers are.
  if (place === 'path')
    return [`path: { ${own.map(({ name, schema }) => `${name}: ${printType(schema)}`).join('; ')} }`];
  const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
  const required = own.filter((parameter) => parameter.required).map(({ name }) => name);
  return [
    `${place}${required.length > 0 ? '' : '?'}: ${printType({ type: 'object', properties, required }, 2)}`,
  ];
}

function replySchema({ responses }) {
  const { content } = responses[200] ?? responses[201];
  return Object.values(content)[0].schema;
}

/** A parameter that stands under `components`, by its name. */
function resolve({ $ref, ...parameter }) {
  return $ref ? document.components.parameters[$ref.split('/').at(-1)] : parameter;
}

function printType(schema, depth = 0) {
  const inner = (each) => printType(each, depth);
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.map(inner).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => printType({ ...schema, type }, depth)).join(' | ');
  switch (schema.type) {
    case 'array': {
      const item = schema.items ? inner(schema.items) : 'unknown';
      return /[|{]/.test(item) ? `Array<${item}>` : `${item}[]`;
    }
    case 'object':
      return (
        (depth > 0 && shapes.size > 0 && shapes.get(shapeOf(schema))?.name) || printObject(schema, depth)
      );
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    case undefined:
      return 'unknown';
    default:
      throw new Error(`The generator knows no type ${schema.type}.`);
  }
}

function printObject({ properties = {}, required = [], additionalProperties }, depth) {
  const entries = Object.entries(properties);
  if (entries.length === 0 && additionalProperties !== false) {
    const values = typeof additionalProperties === 'object' ? additionalProperties : {};
    return `Record<string, ${printType(values, depth)}>`;
  }
  if (entries.length === 0) return 'Record<string, never>';
  const indent = '  '.repeat(depth + 1);
  const rows = entries.map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    const type = printType(schema, depth + 1);
    return `${comment(wordsOf(schema), depth + 1)}${indent}${key}${required.includes(name) ? '' : '?'}: ${type};\n`;
  });
  return `{\n${rows.join('')}${'  '.repeat(depth)}}`;
}

/** What stands under a name is described there. */
function wordsOf({ description, $ref }) {
  return description ?? ($ref && document.components.schemas[$ref.split('/').at(-1)].description);
}

function comment(text, depth) {
  return text ? `${'  '.repeat(depth)}/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n` : '';
}

/** What the client must know at run time: where a key makes a request safe to repeat, and where nothing does. */
function printEffects() {
  const list = (isListed) =>
    endpoints
      .filter((endpoint) => endpoint.method === 'POST' && isListed(endpoint))
      .map(({ path }) => `  '${path}',\n`)
      .join('');
  return `${note}
/** POST endpoints that honour \`Idempotency-Key\`. */
export const creating: ReadonlySet<string> = new Set([
${list(({ effect }) => effect === 'create')}]);

/** POST endpoints that may do their work twice when a request is sent twice. */
export const unrepeatable: ReadonlySet<string> = new Set([
${list(({ effect, isRepeatable }) => effect !== 'create' && effect !== 'read' && !isRepeatable)}]);
`;
}

function pathOf(file) {
  return join(root, 'sdk', 'src', file);
}

function readOr(otherwise, file) {
  try {
    return readFileSync(pathOf(file), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  }
}

import { type TSchema, Type } from 'typebox';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { membersOf } from '../../lib/isRecord.ts';
import { type Fault, Problem, type ProblemCode } from '../../model/errors.ts';
import { Id, List, Shape } from '../../model/schema.ts';
import { takeNames } from '../../model/takeNames.ts';
import { faultLimit, invalidInput, validate } from '../../model/validate.ts';
import type { Call } from '../../services/call.ts';
import { createRecord } from '../../services/records/createRecord.ts';
import { createRecords } from '../../services/records/createRecords.ts';
import { deleteRecord } from '../../services/records/deleteRecord.ts';
import { notFound, shownOf } from '../../services/records/findWritable.ts';
import type { ChangeOf, Owner, RecordKind } from '../../services/records/recordKind.ts';
import { updateRecord } from '../../services/records/updateRecord.ts';
import type { CountedLimit } from '../../store/accounts/plans.ts';
import { exportRecords } from '../../store/records/exportRecords.ts';
import { findRecord, type Row, type Search, searchRecords } from '../../store/records/records.ts';
import { createSchema, readReplySchema, replySchema, updateSchema } from '../../store/tables/fields.ts';
import { type Fields, nounOf, type RecordOf, shownNames, type Table } from '../../store/tables/table.ts';
import { type Endpoint, endpoint, type Input } from './endpoint.ts';
import { checkIfMatch, etagOf } from './etag.ts';
import { exampleOf } from './exampleOf.ts';
import { exportable } from './exportable.ts';
import { echoFaults, readUpdate } from './readUpdate.ts';
import { searchBody, searchReply } from './search.ts';

type Operation = 'create' | 'read' | 'update' | 'delete' | 'search';

/** Records of one request. */
const maxBatch = 1000;
const batchBytes = 4 * 1024 * 1024;

type Definition<F extends Fields> = {
  path: string;
  tag: string;
  /** Description of the record, for the API documents. */
  about: string;
  table: Table<F>;
  owner: Owner;
  /** Members whose value is the id of another record, which must be the tenant's own (or the platform's). */
  references?: Readonly<Record<string, Table>>;
  limit?: CountedLimit;
  /** Operations that are written by hand beside the resource, or that it does not have. */
  without?: readonly Operation[];
  /** Members that a reply leaves out although the record has them. */
  replyWithout?: { create?: readonly string[]; search?: readonly string[] };
  bodyLimit?: number;
  /** Members that no request has beside the others, which examples leave out. */
  unexampled?: readonly string[];
  prepare?: (call: Call, change: ChangeOf<Table<F>>) => Row | Promise<Row>;
  finish?: (call: Call, change: ChangeOf<Table<F>>, id: number) => Promise<void>;
  /** In place of `finish`, for many records at once. */
  finishAll?: (call: Call, written: readonly Written<F>[]) => Promise<void>;
  /** Many records may be created by one request. */
  hasBatch?: true;
  beforeDelete?: (call: Call, current: RecordOf<F>) => Promise<void>;
};

type Written<F extends Fields> = { change: ChangeOf<Table<F>>; id: number };

export type Resource = { kind: RecordKind; reply: TSchema; endpoints: Endpoint[] };

/** Create, read, update, delete and search for one record kind. */
export function defineResource<F extends Fields>(definition: Definition<F>): Resource {
  const kind = toRecordKind(definition);
  const parts: Parts = { ...definition, kind, noun: nounOf(kind.table), fields: kind.table.fields };
  const operations: Record<Operation, () => Endpoint> = {
    create: () => createEndpoint(parts),
    read: () => readEndpoint(parts),
    update: () => updateEndpoint(parts),
    delete: () => deleteEndpoint(parts),
    search: () => searchEndpoint(parts),
  };
  const endpoints = Object.entries(operations)
    .filter(([name]) => !definition.without?.some((operation) => operation === name))
    .map(([, create]) => create());
  if (definition.hasBatch) endpoints.push(batchEndpoint(parts));
  return { kind, reply: readReplySchema(parts.fields), endpoints };
}

function toRecordKind<F extends Fields>(definition: Definition<F>): RecordKind {
  const { table, owner, references = {}, limit, prepare, finish, finishAll, beforeDelete } = definition;
  // The server checks the body against the schemas that these types are derived from, and the store reads the record by them.
  const typed = (change: Row) => change as ChangeOf<Table<F>>;
  return {
    table,
    names: shownNames(table.fields),
    details: shownNames(table.fields, 'detail'),
    owner,
    references,
    ...(limit ? { limit } : {}),
    ...(prepare ? { prepare: (call, change) => prepare(call, typed(change)) } : {}),
    ...(finish
      ? {
          finish: async (call, written) => {
            for (const { change, id } of written) await finish(call, typed(change), id);
          },
        }
      : {}),
    ...(finishAll
      ? {
          finish: (call, written) =>
            finishAll(
              call,
              written.map(({ change, id }) => ({ change: typed(change), id })),
            ),
        }
      : {}),
    ...(beforeDelete ? { beforeDelete: (call, current) => beforeDelete(call, current as RecordOf<F>) } : {}),
  };
}

type Parts = Pick<
  Definition<Fields>,
  'path' | 'tag' | 'about' | 'limit' | 'bodyLimit' | 'unexampled' | 'replyWithout'
> & {
  kind: RecordKind;
  noun: string;
  fields: Fields;
};

function createEndpoint({ path, tag, noun, kind, fields, ...parts }: Parts): Endpoint {
  const without = parts.replyWithout?.create;
  const problems: ProblemCode[] = [
    'conflict',
    'unprocessable',
    ...(parts.limit ? ['plan-limit' as const] : []),
  ];
  const body = createSchema(fields);
  return endpoint({
    method: 'POST',
    path,
    tag,
    summary: `Create ${withArticle(noun)}`,
    description: parts.about,
    body,
    ...examplePart(body, parts),
    reserved: reservedOf(fields),
    ...bodyLimitOf(parts),
    reply: replySchema(fields, without),
    status: 201,
    effect: 'create',
    problems,
    handle: async (call, { body }) => {
      const record = await createRecord(call, kind, newInput(kind.table, membersOf(body)));
      return {
        body: omit(record, without),
        etagOf: record,
        headers: { location: `/api/v1${path}/${String(record.id)}` },
      };
    },
  });
}

function batchEndpoint({ path, tag, noun, kind, fields, ...parts }: Parts): Endpoint {
  const without = parts.replyWithout?.create;
  const record = createSchema(fields);
  const reserved = reservedOf(fields);
  const body = (items: TSchema) =>
    Type.Unsafe<{ records: unknown[] }>(
      Shape(
        {
          records: List(items, 'The new records, checked as single ones are.', {
            minItems: 1,
            maxItems: maxBatch,
          }),
        },
        ['records'],
      ),
    );
  return endpoint({
    method: 'POST',
    path: `${path}/batch`,
    tag,
    summary: `Create many ${noun} records`,
    description:
      `Up to ${maxBatch.toLocaleString('en')} records, all or none. The rules, limits, approvals and audit entries are those of ` +
      'single requests. A fault names the record by its index, such as `/records/3/name`.',
    body: body(record),
    quickBody: body(Type.Unsafe({ type: 'object' })),
    ...(parts.unexampled
      ? { example: { records: [omit(membersOf(exampleOf(record)), parts.unexampled)] } }
      : {}),
    bodyLimit: batchBytes,
    reply: Shape({ data: List(replySchema(fields, without), 'The records, in their order.') }, ['data']),
    status: 201,
    effect: 'create',
    problems: ['conflict', 'unprocessable', ...(parts.limit ? ['plan-limit' as const] : [])],
    handle: async (call, { body: { records } }) => {
      const inputs = await readAll(kind.table, record, reserved, records);
      const created = await createRecords(call, kind, inputs, pointerAt);
      return { body: { data: created.map((one) => omit(one, without)) } };
    },
  });
}

const pointerAt = (index: number): string => `/records/${index}`;

/** Checks the records of a batch, with turns of others in between. */
async function readAll(
  table: Table,
  schema: TSchema,
  reserved: ReadonlySet<string>,
  records: readonly unknown[],
): Promise<Row[]> {
  const inputs: Row[] = [];
  const faults: Fault[] = [];
  for (const [index, record] of records.entries()) {
    await yieldToEventLoop();
    try {
      validate(schema, record, '', reserved);
      takeNames(schema, record);
      inputs.push(newInput(table, membersOf(record)));
    } catch (error) {
      if (!(error instanceof Problem) || !error.members.errors) throw error;
      for (const fault of error.members.errors)
        faults.push({ ...fault, pointer: `${pointerAt(index)}${fault.pointer}` });
      if (faults.length >= faultLimit) break;
    }
  }
  if (faults.length > 0) throw invalidInput(faults.slice(0, faultLimit));
  return inputs;
}

function reservedOf(fields: Fields): ReadonlySet<string> {
  return new Set(Object.keys(fields).filter((name) => fields[name]?.usage === 'readOnly'));
}

function readEndpoint({ path, tag, noun, kind, fields }: Parts): Endpoint {
  const names = [...kind.names, ...kind.details];
  return endpoint({
    method: 'GET',
    path: `${path}/{id}`,
    tag,
    summary: `Read ${withArticle(noun)}`,
    params: paramsOf(noun),
    reply: readReplySchema(fields),
    hasEtag: true,
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, input) => {
      const record = await findRecord(call.db, kind.table, call.scope, input.params.id, names);
      if (!record) throw notFound(kind);
      // Of the same members as the replies to a change, so that either can be sent as If-Match.
      return { body: record, etagOf: kind.details.length === 0 ? record : shownOf(kind, record) };
    },
  });
}

function updateEndpoint({ path, tag, noun, kind, fields, ...parts }: Parts): Endpoint {
  const body = updateSchema(fields);
  return endpoint({
    method: 'PUT',
    path: `${path}/{id}`,
    tag,
    summary: `Change ${withArticle(noun)}`,
    description:
      'Members that are present change, the others stay; null clears a member that can be null. ' +
      'Members set by Vigil may be sent back as they were read.',
    params: paramsOf(noun),
    body,
    ...examplePart(body, parts),
    ...bodyLimitOf(parts),
    reply: replySchema(fields),
    effect: 'change',
    takesNames: true,
    problems: ['not-found', 'conflict', 'illegal-transition', 'precondition-failed', 'unprocessable'],
    handle: async (call, input) => {
      const record = await updateRecord(call, kind, input.params.id, precondition(kind, input), (current) => {
        takeNames(body, input.body, current);
        return readUpdate(kind.table, membersOf(input.body), current);
      });
      return { body: record, etagOf: record };
    },
  });
}

function deleteEndpoint({ path, tag, noun, kind }: Parts): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: `${path}/{id}`,
    tag,
    summary: `Delete ${withArticle(noun)}`,
    description: 'Deletes what the record owns as well. A deleted record reads as missing.',
    params: paramsOf(noun),
    reply: Shape({ id: Id(`The deleted ${noun}.`) }, ['id']),
    effect: 'change',
    problems: ['not-found', 'conflict', 'precondition-failed'],
    handle: async (call, input) => {
      const record = await deleteRecord(call, kind, input.params.id, precondition(kind, input));
      return { body: { id: record.id } };
    },
  });
}

function searchEndpoint({ path, tag, noun, kind, fields, replyWithout }: Parts): Endpoint {
  const without = replyWithout?.search ?? [];
  const names = kind.names.filter((name) => !without.includes(name));
  const search = endpoint({
    method: 'POST',
    path: `${path}/search`,
    tag,
    summary: `Search ${noun} records`,
    description: `Fields for \`where\` and \`sort\`: ${Object.keys(kind.table.members).join(', ')}.`,
    body: searchBody,
    reply: searchReply(replySchema(fields, without)),
    effect: 'read',
    isReport: true,
    problems: ['invalid-where'],
    handle: async (call, { body }) => ({
      body: await searchRecords(call.services.reports, kind.table, call.scope, body ?? {}, names),
    }),
  });
  return exportable(search, names, async ({ services, scope }, { body }, members) =>
    exportRecords(services.reports, kind.table, scope, (body as Search | undefined) ?? {}, members),
  );
}

function paramsOf(noun: string) {
  return Shape({ id: Id(`The ${noun}.`) }, ['id']);
}

function examplePart(body: TSchema, { unexampled }: Pick<Parts, 'unexampled'>): { example?: Row } {
  return unexampled ? { example: omit(membersOf(exampleOf(body)), unexampled) } : {};
}

function bodyLimitOf({ bodyLimit }: Pick<Parts, 'bodyLimit'>): { bodyLimit?: number } {
  return bodyLimit === undefined ? {} : { bodyLimit };
}

/** Fills in the defaults, and refuses what only Vigil sets inside bindings. */
function newInput({ fields, bindings }: Table, body: Row): Row {
  const faults = bindings.flatMap((binding) =>
    echoFaults(binding, body[binding.member], undefined, `/${binding.member}`),
  );
  if (faults.length > 0) throw invalidInput(faults);
  const defaults = Object.entries(fields).filter(
    ([name, field]) => field.default !== undefined && body[name] === undefined,
  );
  return { ...body, ...Object.fromEntries(defaults.map(([name, field]) => [name, field.default])) };
}

/** "a wallet", "an action". */
function withArticle(noun: string): string {
  return `${/^[AEIO]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

function omit(record: Row, names: readonly string[] = []): Row {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

/** If-Match: the change goes on only if the record is still the one that was read. */
export function precondition(
  kind: RecordKind,
  { headers }: Input<unknown, unknown, unknown>,
): (current: Row) => void {
  return (current) =>
    checkIfMatch(
      headers.ifMatch,
      nounOf(kind.table),
      (etag) => etag === etagOf(JSON.stringify(shownOf(kind, current))),
    );
}

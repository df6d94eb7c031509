import { invalidInput } from '../../model/validate.ts';
import type { Call } from '../../services/call.ts';
import { createRecord } from '../../services/records/createRecord.ts';
import { deleteRecord } from '../../services/records/deleteRecord.ts';
import { noSuch, shownOf } from '../../services/records/findWritable.ts';
import type { Change, Owner, RecordKind } from '../../services/records/recordKind.ts';
import { updateRecord } from '../../services/records/updateRecord.ts';
import type { CountedLimit } from '../../store/accounts/plans.ts';
import { findRecord, type Row, searchRecords } from '../../store/records/records.ts';
import { nounOf, type Table } from '../../store/table.ts';
import { type Endpoint, endpoint, type Input } from './endpoint.ts';
import { checkIfMatch, etagOf } from './etag.ts';
import {
  createSchema,
  echoFaults,
  type Fields,
  type InputOf,
  namesOf,
  readReplySchema,
  readUpdate,
  replySchema,
  updateSchema,
} from './fields.ts';
import { Id, Shape } from './schema.ts';
import { searchBody, searchReply } from './search.ts';

type Operation = 'create' | 'read' | 'update' | 'delete' | 'search';

type TypedChange<F extends Fields> = Omit<Change, 'input'> & { input: InputOf<F> };

export type Definition<F extends Fields> = {
  path: string;
  tag: string;
  /** "wallet", "license instance": how sentences call one record. */
  noun: string;
  table: Table;
  fields: F;
  owner: Owner;
  limit?: CountedLimit;
  /** Operations that are written by hand beside the resource, or make no sense for it. */
  without?: readonly Operation[];
  /** Members that an answer leaves out although the record has them. */
  replyWithout?: { create?: readonly string[]; search?: readonly string[] };
  bodyLimit?: number;
  /** What the record is, in the words of the API documents. */
  about: string;
  /** Reserves the id before `prepare`, for secrets that are bound to it. */
  needsId?: true;
  prepare?: (call: Call, change: TypedChange<F>) => Row | Promise<Row>;
  finish?: (call: Call, change: TypedChange<F>, id: number) => Promise<void>;
  beforeDelete?: (call: Call, current: Row) => Promise<void>;
};

export type Resource = { kind: RecordKind; fields: Fields; endpoints: Endpoint[] };

/** Create, read, update, delete and search for one record kind, from one table of fields. */
export function defineResource<F extends Fields>(definition: Definition<F>): Resource {
  const { fields, path, noun, tag } = definition;
  const kind = recordKind(definition);
  const without = definition.replyWithout ?? {};
  const reply = replySchema(fields);
  const params = Shape({ id: Id(`The ${noun}.`) }, ['id']);
  const readNames = [...kind.names, ...kind.details];
  const searchNames = kind.names.filter((name) => !without.search?.includes(name));

  const operations: Record<Operation, () => Endpoint> = {
    create: () =>
      endpoint({
        method: 'POST',
        path,
        tag,
        summary: `Create ${withArticle(noun)}`,
        description: definition.about,
        body: createSchema(fields),
        reserved: reservedOnCreate(fields),
        ...(definition.bodyLimit ? { bodyLimit: definition.bodyLimit } : {}),
        reply: replySchema(fields, without.create),
        status: 201,
        effect: 'create',
        problems: ['conflict', 'unprocessable', ...(definition.limit ? (['plan-limit'] as const) : [])],
        handle: async (call, { body }) => {
          const record = await createRecord(call, kind, newInput(fields, definition.table, body as Row));
          return {
            body: omit(record, without.create),
            etagOf: record,
            headers: { location: `/api/v1${path}/${String(record.id)}` },
          };
        },
      }),
    read: () =>
      endpoint({
        method: 'GET',
        path: `${path}/{id}`,
        tag,
        summary: `Read ${withArticle(noun)}`,
        params,
        reply: readReplySchema(fields),
        hasEtag: true,
        effect: 'read',
        problems: ['not-found'],
        handle: async (call, input) => {
          const record = await findRecord(call.db, kind.table, call.scope, input.params.id, readNames);
          if (!record) throw noSuch(kind);
          // Of the same members as the replies to a change, so that either can be sent as If-Match.
          return { body: record, etagOf: kind.details.length === 0 ? record : shownOf(kind, record) };
        },
      }),
    update: () =>
      endpoint({
        method: 'PUT',
        path: `${path}/{id}`,
        tag,
        summary: `Change ${withArticle(noun)}`,
        description:
          'Members that are present change, the others stay; null clears a member that can be null. ' +
          'Members set by Vigil may be sent back as they were read.',
        params,
        body: updateSchema(fields),
        ...(definition.bodyLimit ? { bodyLimit: definition.bodyLimit } : {}),
        reply,
        effect: 'change',
        problems: ['not-found', 'conflict', 'illegal-transition', 'precondition-failed', 'unprocessable'],
        handle: async (call, input) => {
          const record = await updateRecord(
            call,
            kind,
            input.params.id,
            precondition(kind, input),
            (current) => {
              const { input: change, faults } = readUpdate(fields, kind.table, input.body as Row, current);
              if (faults.length > 0) throw invalidInput(faults);
              return change;
            },
          );
          return { body: record, etagOf: record };
        },
      }),
    delete: () =>
      endpoint({
        method: 'DELETE',
        path: `${path}/{id}`,
        tag,
        summary: `Delete ${withArticle(noun)}`,
        description: 'Deletes what the record owns as well. A deleted record reads as missing.',
        params,
        reply: Shape({ id: Id(`The deleted ${noun}.`) }, ['id']),
        effect: 'change',
        problems: ['not-found', 'conflict', 'precondition-failed'],
        handle: async (call, input) => {
          const record = await deleteRecord(call, kind, input.params.id, precondition(kind, input));
          return { body: { id: record.id } };
        },
      }),
    search: () =>
      endpoint({
        method: 'POST',
        path: `${path}/search`,
        tag,
        summary: `Search ${noun} records`,
        description: `Fields that \`where\` and \`sort\` know: ${Object.keys(definition.table.members).join(', ')}.`,
        body: searchBody,
        reply: searchReply(replySchema(fields, without.search)),
        effect: 'read',
        isReport: true,
        problems: ['invalid-where'],
        handle: async (call, { body }) => ({
          body: await searchRecords(call.services.reports, kind.table, call.scope, body ?? {}, searchNames),
        }),
      }),
  };

  const wanted = (Object.keys(operations) as Operation[]).filter(
    (name) => !definition.without?.includes(name),
  );
  return { kind, fields, endpoints: wanted.map((name) => operations[name]()) };
}

function recordKind<F extends Fields>(definition: Definition<F>): RecordKind {
  const { fields, prepare, finish } = definition;
  const references = Object.entries(fields).flatMap(([name, { references }]) =>
    references ? [[name, references] as const] : [],
  );
  return {
    table: definition.table,
    names: namesOf(fields, 'reply'),
    details: namesOf(fields, 'detail'),
    owner: definition.owner,
    needsId: definition.needsId ?? false,
    references: Object.fromEntries(references),
    ...(definition.limit ? { limit: definition.limit } : {}),
    // The server has checked the body against the schemas that these types are derived from.
    ...(prepare ? { prepare: (call, change) => prepare(call, change as TypedChange<F>) } : {}),
    ...(finish ? { finish: (call, change, id) => finish(call, change as TypedChange<F>, id) } : {}),
    ...(definition.beforeDelete ? { beforeDelete: definition.beforeDelete } : {}),
  };
}

/** Output members that a create body may not carry: known, so they are told apart from typos. */
function reservedOnCreate(fields: Fields): ReadonlySet<string> {
  return new Set(Object.keys(fields).filter((name) => !fields[name]!.create));
}

/** Fills in the defaults and refuses what only Vigil sets inside bindings. */
function newInput(fields: Fields, table: Table, body: Row): Row {
  const faults = (table.bindings ?? []).flatMap((binding) =>
    echoFaults(binding, body[binding.member], undefined, `/${binding.member}`),
  );
  if (faults.length > 0) throw invalidInput(faults);
  const defaults = Object.entries(fields).flatMap(([name, field]) =>
    field.create && field.default !== undefined && body[name] === undefined
      ? [[name, field.default] as const]
      : [],
  );
  return { ...body, ...Object.fromEntries(defaults) };
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
  input: Input<unknown, unknown, unknown>,
): (current: Row) => void {
  const { ifMatch } = input.headers;
  return (current) =>
    checkIfMatch(
      ifMatch,
      nounOf(kind.table),
      (etag) => etag === etagOf(JSON.stringify(shownOf(kind, current))),
    );
}

import { storableJson } from '../../../lib/json.ts';
import { raw, type Sql, sql } from '../../../lib/sql.ts';
import { quoteElement } from '../../db/citus/quoteElement.ts';

/** Columns of a new alert, with their PostgreSQL types. */
const types = {
  tenant_id: 'bigint',
  timestamp: 'bigint',
  contract_id: 'bigint',
  project_id: 'bigint',
  uid: 'uuid',
  incident_uid: 'uuid',
  incident_at: 'bigint',
  detector_id: 'bigint',
  detector_schema_name: 'text',
  trigger_id: 'bigint',
  action_id: 'bigint',
  wallet_id: 'bigint',
  block_number: 'bigint',
  numeric_severity: 'smallint',
  is_resolved: 'boolean',
  suppressed: 'boolean',
  backfilled: 'boolean',
  kind: 'text',
  alert_group: 'text',
  name: 'text',
  message: 'text',
  eid: 'text',
  eid_rest: 'text',
  tx_hash: 'text',
  tx_hash_bytes: 'bytea',
  chain_uid: 'text',
  block_hash: 'text',
  block_hash_bytes: 'bytea',
  is_pending: 'boolean',
  interceptor_type: 'text',
  trigger_type: 'text',
  wallet_name: 'text',
  wallet_chain_uid: 'text',
  wallet_address: 'text',
  tags: 'text[]',
  meta: 'jsonb',
  odd_words: 'jsonb',
  terms: 'int4[]',
} as const;

type Type = (typeof types)[keyof typeof types];
type Value = {
  bigint: number;
  smallint: number;
  uuid: string;
  boolean: boolean;
  text: string;
  /** As `\\x` and hexadecimal digits. */
  bytea: string;
  jsonb: object;
  'text[]': readonly string[];
  'int4[]': readonly number[];
};
export type AlertRow = { [column in keyof typeof types]: Value[(typeof types)[column]] | null | undefined };

const columns = Object.entries(types) as [keyof AlertRow, Type][];
export const alertColumns = raw(columns.map(([name]) => name).join());

/** Columns that are equal in all alerts of a detector. */
const sourceColumns: ReadonlySet<keyof AlertRow> = new Set([
  'tenant_id',
  'contract_id',
  'project_id',
  'detector_id',
  'detector_schema_name',
  'trigger_id',
  'action_id',
  'wallet_id',
  'is_resolved',
  'suppressed',
  'backfilled',
  'kind',
  'alert_group',
  'chain_uid',
  'is_pending',
  'interceptor_type',
  'trigger_type',
  'wallet_name',
  'wallet_chain_uid',
  'wallet_address',
] as const);

/**
 * The rows as a SELECT of these columns, one array for each column, which PostgreSQL reads twice as fast as JSON
 * objects. Columns with one value for all rows are sent once.
 */
export function selectRows(rows: readonly AlertRow[]): Sql {
  const [first] = rows;
  if (!first || !hasOneSource(rows, first))
    return sql(ofAnySource, ...columns.map(([name, type]) => toArray(rows, name, type)));
  const values: unknown[] = shared.map(([name]) => toScalar(first[name]));
  for (const [name, type] of rowColumns) values.push(toArray(rows, name, type));
  return sql(ofOneSource, ...values);
}

function hasOneSource(rows: readonly AlertRow[], first: AlertRow): boolean {
  return rows.every((row) => shared.every(([name]) => (row[name] ?? null) === (first[name] ?? null)));
}

/** No column takes NUL. */
function toScalar(value: AlertRow[keyof AlertRow]): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value;
}

const shared = columns.filter(([name]) => sourceColumns.has(name));
const rowColumns = columns.filter(([name]) => !sourceColumns.has(name));

const selected = columns
  .map(([name, type]) => (isTextual(type) && type !== 'text' ? `${name}::${type}` : name))
  .join();
const ofAnySource = toTemplate(`select ${selected} from ${unnested(columns)}`);
const scalars = shared.map(([name, type]) => `?::${type} as ${name}`).join();
const ofOneSource = toTemplate(`select ${selected} from (select ${scalars}) s, ${unnested(rowColumns)}`);

function unnested(list: typeof columns): string {
  const arrays = list.map(([, type]) => `?::${isTextual(type) ? 'text' : type}[]`);
  return `unnest(${arrays.join()}) u(${list.map(([name]) => name).join()})`;
}

/** Put together once, because a statement is known by its template; a value for each question mark. */
function toTemplate(text: string): TemplateStringsArray {
  const strings = text.split('?');
  return Object.assign(strings, { raw: strings });
}

/** True if values have to be quoted; all but texts are cast from it. */
function isTextual(type: Type): boolean {
  return type === 'text' || type === 'bytea' || type === 'jsonb' || type === 'text[]' || type === 'int4[]';
}

function toArray(rows: readonly AlertRow[], name: keyof AlertRow, type: Type): string {
  // PostgreSQL takes the end of a shorter array for nulls.
  if (rows.every((row) => row[name] == null)) return '{}';
  return `{${rows.map((row) => toElement(row[name], type)).join()}}`;
}

function toElement(value: AlertRow[keyof AlertRow], type: Type): string {
  if (value == null) return 'NULL';
  if (typeof value !== 'object') {
    // A backslash before digits, which needs another one.
    if (type === 'bytea') return `"\\${String(value)}"`;
    return isTextual(type) ? quoteElement(String(value)) : String(value);
  }
  if (type === 'jsonb') return quoteElement(storableJson(value));
  const items = value as readonly (string | number)[];
  if (type === 'int4[]') return `"{${items.join()}}"`;
  return items.length === 0
    ? '"{}"'
    : quoteElement(`{${items.map((item) => quoteElement(String(item))).join()}}`);
}

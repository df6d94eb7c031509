import { nearest } from '../../../lib/nearest.ts';
import { type Sql, sql } from '../../../lib/sql.ts';
import { expandFields } from '../../../query/lucene/expandFields.ts';
import { type Field, subField } from '../../../query/lucene/mapping.ts';
import { isPlainDecimalSql } from '../../../query/lucene/sqlSource.ts';
import { type DocumentTable, memberColumn } from '../documents/documentTable.ts';

/** The values of a field, as buckets are made of them and as they are measured. */
export type FieldValues = {
  /** An expression on `t`; of a field with many values, an array of these. */
  sql: Sql;
  isMany: boolean;
  /** Groups by this instead of the value where it is faster to compare. */
  group?: Sql;
  /** The SQL type of a value. */
  type: 'text' | 'bigint' | 'float8' | 'boolean' | 'jsonb';
  isDate: boolean;
  /** A value as a number, or null; absent where none can be one. */
  number?: (value: Sql) => Sql;
};

/** The values of the field of this name, or what is wrong with the name. */
export function aggregateField(
  table: DocumentTable,
  name: string,
): FieldValues | { code: string; message: string } {
  const field = table.mapping.fields.get(name);
  if (field?.type === 'text') {
    return { code: 'text-field', message: `is a text; aggregate on ${name}${subField}.` };
  }
  if (field) return mappedValues(table, field);
  if (table.mapping.dynamic.includes(name)) {
    return { code: 'unknown-field', message: `is an object; name a member of it, such as ${name}.amount.` };
  }
  const members = name.includes('*') ? [] : expandFields(table.mapping, name);
  const member = members.find(({ type }) => type === 'keyword') ?? members[0];
  if (member) return dynamicValues(table, member);
  const aggregatable = Array.from(table.mapping.fields.values()).filter(({ type }) => type !== 'text');
  const guess = nearest(
    name,
    aggregatable.map((field) => field.name),
  );
  return {
    code: 'unknown-field',
    message: `is not a field: there is no ${name}${guess ? `; did you mean ${guess}?` : '.'}`,
  };
}

function mappedValues(table: DocumentTable, field: Field): FieldValues {
  const column = memberColumn(table, field.path.join('.'));
  const isDate = field.type === 'date';
  switch (column.store) {
    case 'text':
      return {
        sql: wholeText(column.sql, field),
        isMany: false,
        type: 'text',
        isDate,
        ...(field.isFolded ? {} : { group: column.codes?.sql ?? column.sql }),
      };
    case 'text[]':
      return { sql: column.sql, isMany: true, type: 'text', isDate };
    case 'boolean':
      return { sql: column.sql, isMany: false, type: 'boolean', isDate };
    case 'number':
      return field.type === 'double'
        ? { sql: column.sql, isMany: false, type: 'float8', isDate, number: (value) => value }
        : // A sum of bigint is exact, and no division of it drops the fraction.
          {
            sql: column.sql,
            isMany: false,
            type: 'bigint',
            isDate,
            number: (value) => sql`${value}::bigint`,
          };
    case 'json':
      throw new Error(`The member ${field.name} is JSON, but not dynamic.`);
  }
}

/**
 * Strings below `.keyword`; else numbers, also those that are plain decimal texts, and booleans. Items of arrays are values of
 * their own, as in queries.
 */
function dynamicValues(table: DocumentTable, field: Field): FieldValues {
  const isText = field.type === 'keyword';
  const kind = isText ? texts(field) : numbersAndBooleans;
  const values = { sql: jsonValues(table, field.path, kind), isMany: true, isDate: false };
  if (isText) return { ...values, type: 'text' };
  const number = (json: Sql) => sql`(case when jsonb_typeof(${json}) = 'number' then ${json}::numeric end)`;
  return { ...values, type: 'jsonb', number };
}

/** The counted values of a member, and their type. */
type JsonKind = { fits: (json: Sql) => Sql; value: (json: Sql) => Sql };

function texts(field: Field): JsonKind {
  return {
    fits: (json) => sql`jsonb_typeof(${json}) = 'string'`,
    value: (json) => wholeText(textOf(json), field),
  };
}

/** A text becomes a number of JSON with all its digits. */
const numbersAndBooleans: JsonKind = {
  fits: (json) => sql`(case jsonb_typeof(${json}) when 'number' then true when 'boolean' then true
    when 'string' then ${isPlainDecimalSql(textOf(json))} else false end)`,
  value: (json) =>
    sql`case jsonb_typeof(${json}) when 'string' then to_jsonb(${textOf(json)}::numeric) else ${json} end`,
};

function textOf(json: Sql): Sql {
  return sql`(${json} #>> '{}')`;
}

/** Most members are one value in plain objects; all paths are followed only where an array is on the way. */
function jsonValues(
  table: DocumentTable,
  [root = '', ...below]: readonly string[],
  { fits, value }: JsonKind,
): Sql {
  const document = memberColumn(table, root).sql;
  const direct = sql`(${document} #> ${below}::text[])`;
  const path = `$${below.map((name) => `[*][*].${JSON.stringify(name)}`).join('')}[*][*][*]`;
  return sql`case when ${fits(direct)} then array[${value(direct)}]
    when jsonb_typeof(${direct}) <> 'array' or not ${document} ? ${below[0]} then '{}'
    else array(select ${value(sql`v.value`)} from jsonb_path_query(${document}, ${path}::jsonpath) v(value)
      where ${fits(sql`v.value`)}) end`;
}

function wholeText(text: Sql, { isFolded }: Field): Sql {
  return isFolded ? sql`lower(${text}) collate "C"` : sql`(${text}) collate "C"`;
}

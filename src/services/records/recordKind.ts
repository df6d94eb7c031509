import type { CountedLimit } from '../../store/accounts/plans.ts';
import type { Row, Use } from '../../store/records/records.ts';
import type { InputOf, NewInputOf, RecordOf, Table } from '../../store/tables/table.ts';
import type { Call } from '../call.ts';

/** A record kind as the services see it: where it lives, whose it is, and what its own rules add. */
export type RecordKind = {
  table: Table;
  /** Every member of the record as it is read; also what the audit log compares. */
  names: readonly string[];
  /** Members that are shown only where one record is read; the audit log compares them too. */
  details: readonly string[];
  owner: Owner;
  limit?: CountedLimit;
  /** Members whose value is the id of another record, which must be the tenant's own (or the platform's). */
  references: Readonly<Record<string, Table>>;
  /** Turns checked input into the values to write. */
  prepare?: (call: Call, change: RecordChange) => Row | Promise<Row>;
  /** Runs after the rows are written, for what must happen along with them. */
  finish?: (call: Call, written: readonly WrittenRecord[]) => Promise<void>;
  /** Refuses a deletion, by throwing. */
  beforeDelete?: (call: Call, current: Row) => Promise<void>;
};

/**
 * `tenant`: the body's `tenantId`, or the caller's. `anyone`: the same, optional for administrators. `platform`: none.
 * A parent record: its tenant; the caller must be able to write the parent, or with `read` see it.
 */
export type Owner = 'tenant' | 'anyone' | 'platform' | { member: string; table: Table; use: Use };

/** A creation or an update, before it is written. */
export type RecordChange = {
  /** The id of an updated record. */
  id?: number | undefined;
  tenantId: number | null;
  input: Row;
  /** The record before an update. */
  current?: Row | undefined;
};

/** A creation or an update that is written, and the id of its record. */
type WrittenRecord = { change: RecordChange; id: number };

/** The same with the types of a record kind. */
export type ChangeOf<T extends Table> =
  | { id?: undefined; tenantId: number | null; input: NewInputOf<T['fields']>; current?: undefined }
  | { id: number; tenantId: number | null; input: InputOf<T['fields']>; current: RecordOf<T['fields']> };

/** The tenant of a record that always has one. */
export function tenantOf({ tenantId }: Pick<RecordChange, 'tenantId'>): number {
  if (tenantId === null) throw new Error('The record belongs to no tenant.');
  return tenantId;
}

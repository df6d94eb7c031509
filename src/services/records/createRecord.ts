import { invalid, Problem, unprocessable } from '../../model/errors.ts';
import { everything } from '../../model/principal.ts';
import { violatedUnique } from '../../store/db/db.ts';
import { isItems, writeBindings } from '../../store/records/bindings.ts';
import { findRecord, insertRecord, lockRecords, type Row, type Use } from '../../store/records/records.ts';
import { nounOf, type Table } from '../../store/tables/table.ts';
import { tenantTable } from '../../store/tables/tenantTable.ts';
import type { Call } from '../call.ts';
import { audit } from './audit.ts';
import { checkPlanLimit } from './checkPlanLimit.ts';
import { checkReferences } from './checkReferences.ts';
import { auditedOf, namesWithTenant, shownOf } from './findWritable.ts';
import type { RecordChange, RecordKind } from './recordKind.ts';

/** Checks, writes, binds and audits a new record; the caller's transaction makes it one step. */
export async function createRecord(call: Call, kind: RecordKind, input: Row): Promise<Row> {
  if (input.status === 'DELETED')
    throw unprocessable(
      '/status',
      'deleted',
      'A record cannot be created as DELETED: leave `status` out, or give another one.',
    );
  const tenantId = await ownerOf(call, kind, input);
  if (kind.limit && tenantId !== null) await checkPlanLimit(call, tenantId, kind.limit);
  await checkReferences(call, kind, tenantId, input);
  const change: RecordChange = { tenantId, input };
  const values = kind.prepare ? await kind.prepare(call, change) : input;
  const id = await translateConflict(kind.table, () => writeNew(call, kind, change, values));
  await kind.finish?.(call, change, id);
  const record = await readBack(call, kind, id);
  await audit(call, kind.table.kind, 'create', { id, tenantId }, undefined, auditedOf(kind, record));
  return shownOf(kind, record);
}

async function writeNew(call: Call, kind: RecordKind, change: RecordChange, values: Row): Promise<number> {
  const bindings = kind.table.bindings;
  const columns = Object.fromEntries(
    Object.entries(values).filter(([name]) => !bindings.some((binding) => binding.member === name)),
  );
  const id = await insertRecord(call.db, kind.table, {
    ...(hasTenant(kind.table) ? { tenantId: change.tenantId } : {}),
    createdAt: call.now,
    updatedAt: call.now,
    ...columns,
  });
  for (const binding of bindings) {
    const items = values[binding.member];
    if (isItems(items) && change.tenantId !== null) {
      await writeBindings(
        call.db,
        binding,
        { tenantId: change.tenantId, id },
        items,
        call.now,
        `/${binding.member}`,
      );
    }
  }
  return id;
}

/** The tenant that a new record belongs to; it must be one that the caller may write for. */
export async function ownerOf(
  call: Call,
  { owner }: Pick<RecordKind, 'owner'>,
  input: Row,
): Promise<number | null> {
  if (owner === 'platform') return null;
  if (typeof owner === 'object') {
    const parentRecord = await parent(
      call,
      owner.table,
      owner.member,
      Number(input[owner.member]),
      owner.use,
    );
    return typeof parentRecord.tenantId === 'number' ? parentRecord.tenantId : null;
  }
  const tenantId = typeof input.tenantId === 'number' ? input.tenantId : call.principal.tenantId;
  if (tenantId === null && owner === 'anyone') return null;
  if (tenantId === null) {
    throw invalid(
      '/tenantId',
      'required',
      'You belong to no tenant, so `tenantId` must name the one this record is for.',
    );
  }
  // Only administrators change tenants, but callers that may write for one may create records in it.
  await parent(call, tenantTable, 'tenantId', tenantId, 'read');
  return tenantId;
}

async function parent(call: Call, table: Table, member: string, id: number, use: Use): Promise<Row> {
  const record = (await lockRecords(call.db, table, call.scope, [id], use)).get(id);
  if (!record)
    throw unprocessable(`/${member}`, 'unknown-reference', `There is no ${nounOf(table)} with this id.`);
  return record;
}

async function readBack(call: Call, kind: RecordKind, id: number): Promise<Row> {
  const record = await findRecord(call.db, kind.table, everything, id, namesWithTenant(kind));
  if (!record) throw new Error(`The new ${kind.table.kind} ${id} cannot be read back.`);
  return record;
}

function hasTenant(table: Table): boolean {
  return table.members.tenantId !== undefined && !('as' in table.members.tenantId);
}

/** Reports the violation of a unique index as a conflict of the member that it protects. */
export async function translateConflict<T>(table: Table, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const index = violatedUnique(error);
    if (index === undefined) throw error;
    const unique = table.unique?.[index];
    const message = unique?.message ?? 'The same thing is bound twice; leave one of them out.';
    throw new Problem('conflict', message, {
      errors: [{ pointer: unique ? `/${unique.member}` : '', code: 'not-unique', message }],
    });
  }
}

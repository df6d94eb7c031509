import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { itemAt } from '../../lib/itemAt.ts';
import { type Fault, Problem, unprocessable } from '../../model/errors.ts';
import { everything } from '../../model/principal.ts';
import { faultLimit } from '../../model/validate.ts';
import { gatherReads } from '../../store/db/gatherReads.ts';
import { isItems, newItems, writeNewBindings } from '../../store/records/bindings.ts';
import { findRecords, insertRecord, insertRecords, type Row } from '../../store/records/records.ts';
import type { Table } from '../../store/tables/table.ts';
import type { Call } from '../call.ts';
import { auditCreated } from './audit.ts';
import { checkPlanLimit } from './checkPlanLimit.ts';
import { checkReferences } from './checkReferences.ts';
import { findOwners } from './findOwners.ts';
import { auditedOf, namesWithTenant, shownOf } from './findWritable.ts';
import type { RecordChange, RecordKind } from './recordKind.ts';
import { createLookups } from './settleSoon.ts';
import { translateConflict } from './translateConflict.ts';

type Change = RecordChange & { pointer: string };

/** They travel in a header. */
const maxWarnings = 10;

/**
 * Checks, writes, binds and audits new records of one kind, in the caller's transaction and by the rules of a single record. The
 * number of statements is constant. `pointerOf`: a record's position in the request.
 */
export async function createRecords(
  call: Call,
  kind: RecordKind,
  inputs: readonly Row[],
  pointerOf: (index: number) => string,
): Promise<Row[]> {
  for (const [index, { status }] of inputs.entries())
    if (status === 'DELETED')
      throw unprocessable(
        `${pointerOf(index)}/status`,
        'deleted',
        'A record cannot be created as DELETED: leave `status` out, or give another one.',
      );
  const owners = await findOwners(call, kind, inputs, pointerOf);
  const changes = inputs.map(
    (input, index): Change => ({ input, tenantId: owners[index] ?? null, pointer: pointerOf(index) }),
  );
  await checkLimits(call, kind, changes);
  await checkReferences(call, kind, changes);
  const values = await prepareAll(call, kind, changes);
  const ids = await writeAll(call, kind, changes, values);
  const written = changes.map((change, index) => ({ change, id: itemAt(ids, index) }));
  await kind.finish?.(call, written);
  const records = await findRecords(call.db, kind.table, everything, ids, namesWithTenant(kind));
  const created = written.map(({ change: { tenantId }, id }) => {
    const record = records.get(id);
    if (!record) throw new Error(`The new ${kind.table.kind} ${id} cannot be read back.`);
    return { id, tenantId, record };
  });
  await auditCreated(
    call,
    kind.table.kind,
    created.map(({ record, ...rest }) => ({ ...rest, after: auditedOf(kind, record) })),
  );
  return created.map(({ record }) => shownOf(kind, record));
}

async function checkLimits(call: Call, { limit }: RecordKind, changes: readonly Change[]): Promise<void> {
  if (!limit) return;
  const byTenant = [...groupBy(changes, ({ tenantId }) => tenantId)];
  // In one order, so that no two transactions wait for each other's counts.
  for (const [tenantId, own] of byTenant.sort(([one], [next]) => (one ?? 0) - (next ?? 0)))
    if (tenantId !== null) await checkPlanLimit(call, tenantId, limit, own.length);
}

/** The values to write of each record; the faults of all of them are one problem. */
async function prepareAll(call: Call, { prepare }: RecordKind, changes: readonly Change[]): Promise<Row[]> {
  if (!prepare) return changes.map(({ input }) => input);
  const [first] = changes;
  if (first && changes.length === 1 && first.pointer === '') return [await prepare(call, first)];
  const together: Call = { ...call, db: gatherReads(call.db), lookups: createLookups() };
  const prepared: Promise<Row>[] = [];
  const prepareOne = async ({ pointer, ...change }: Change) => {
    // Each has its own warnings, which name the record.
    const own: Call = { ...together, warnings: [] };
    const values = await prepare(own, change);
    for (const warning of own.warnings)
      if (call.warnings.length < maxWarnings) call.warnings.push(`${pointer}: ${warning}`);
    return values;
  };
  for (const change of changes) {
    await yieldToEventLoop();
    const work = prepareOne(change);
    work.catch(() => {});
    prepared.push(work);
  }
  const settled = await Promise.allSettled(prepared);
  throwFailures(settled, changes);
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

function throwFailures(settled: readonly PromiseSettledResult<Row>[], changes: readonly Change[]): void {
  const failures = settled.flatMap((one, index) =>
    one.status === 'rejected' ? [{ reason: one.reason, pointer: itemAt(changes, index).pointer }] : [],
  );
  const [first] = failures;
  if (!first) return;
  const unexpected = failures.find(({ reason }) => !(reason instanceof Problem));
  if (unexpected) throw unexpected.reason;
  const faults = failures.flatMap(({ reason, pointer }) => faultsOf(reason, pointer));
  const { code, message, members } = first.reason as Problem;
  const more = failures.length > 1 ? ` (and ${failures.length - 1} more records)` : '';
  throw new Problem(code, `${first.pointer}${message.startsWith('/') ? '' : ': '}${message}${more}`, {
    ...members,
    errors: faults.slice(0, faultLimit),
  });
}

function faultsOf(reason: unknown, pointer: string): Fault[] {
  if (!(reason instanceof Problem)) return [];
  const { errors = [{ pointer: '', code: reason.code, message: reason.message }] } = reason.members;
  return errors.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }));
}

async function writeAll(
  call: Call,
  { table }: RecordKind,
  changes: readonly Change[],
  values: readonly Row[],
): Promise<number[]> {
  const isBinding = (name: string) => table.bindings.some(({ member }) => member === name);
  const rows = values.map(
    (members, index): Row => ({
      ...(hasTenant(table) ? { tenantId: itemAt(changes, index).tenantId } : {}),
      createdAt: call.now,
      updatedAt: call.now,
      ...Object.fromEntries(Object.entries(members).filter(([name]) => !isBinding(name))),
    }),
  );
  const ids = await translateConflict(table, () => insertAll(call, table, rows, changes));
  for (const binding of table.bindings) {
    const items = values.flatMap((members, index) => {
      const list = members[binding.member];
      const { tenantId, pointer } = itemAt(changes, index);
      if (!isItems(list) || tenantId === null) return [];
      return newItems({ tenantId, id: itemAt(ids, index) }, list, `${pointer}/${binding.member}`);
    });
    if (items.length > 0)
      await translateConflict(table, () => writeNewBindings(call.db, binding, items, call.now));
  }
  return ids;
}

async function insertAll(
  call: Call,
  table: Table,
  rows: readonly Row[],
  changes: readonly Change[],
): Promise<number[]> {
  const [row] = rows;
  if (row && rows.length === 1 && changes[0]?.pointer === '')
    return [await insertRecord(call.db, table, row)];
  const { ids, taken } = await insertRecords(call.db, table, rows);
  const [unique] = Object.values(table.unique ?? {});
  if (taken.length === 0) return ids;
  const message = unique?.message ?? 'The same record exists already.';
  const errors = taken.slice(0, faultLimit).map((index) => ({
    pointer: `${itemAt(changes, index).pointer}${unique ? `/${unique.member}` : ''}`,
    code: 'not-unique',
    message,
  }));
  throw new Problem('conflict', `${itemAt(errors, 0).pointer}: ${message}`, { errors });
}

function hasTenant(table: Table): boolean {
  return table.members.tenantId !== undefined && !('as' in table.members.tenantId);
}

import { Problem } from '../model/errors.ts';
import { everything } from '../model/principal.ts';
import type { Db } from '../store/db/db.ts';
import { dryRun } from '../store/db/dryRun.ts';
import { appendAudit } from '../store/records/audit.ts';
import { lockRecords } from '../store/records/records.ts';
import { tenantTable } from '../store/tables/tenantTable.ts';
import { refuse } from './refuse.ts';
import { withKeyring } from './withStore.ts';

type Import<T> = {
  /** The option `--tenant`. */
  tenant: string | undefined;
  isDryRun?: boolean;
  write(tx: Db, tenantId: number | null, now: number): Promise<T>;
  /** Details of the result for the audit log. */
  audited(result: T): Record<string, unknown>;
  /** Shows the result; the exit code. */
  print(result: T): number;
};

/** Imports labels in one transaction, with one entry of the audit log: everything is imported, or nothing is. */
export async function runImport<T>({ tenant, isDryRun, write, audited, print }: Import<T>): Promise<number> {
  if (tenant !== undefined && !/^[1-9]\d{0,14}$/.test(tenant))
    return refuse('--tenant takes a whole number above 0.');
  const tenantId = tenant === undefined ? null : Number(tenant);
  const now = Date.now();
  return withKeyring({ isNamed: true }, async (store, keyring) => {
    try {
      const result = await store.transaction(async (tx) => {
        if (
          tenantId !== null &&
          (await lockRecords(tx, tenantTable, everything, [tenantId], 'read')).size === 0
        )
          throw new Problem('unprocessable', `There is no tenant ${tenantId}.`);
        if (isDryRun) return dryRun(tx, () => write(tx, tenantId, now));
        const written = await write(tx, tenantId, now);
        await appendAudit(tx, keyring.audit, {
          at: now,
          requestId: 'command line',
          tenantId,
          actor: { tokenId: null, tokenKind: 'COMMAND_LINE', userId: null },
          action: 'label.import',
          record: { kind: 'label', id: null },
          changes: audited(written),
        });
        return written;
      });
      return print(result);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unprocessable') throw error;
      return refuseProblem(error);
    }
  });
}

/** Prints what refuses a file, fault by fault. */
export function refuseProblem(problem: Problem): number {
  const faults = problem.members.errors ?? [];
  for (const { message } of faults)
    if (!problem.message.endsWith(message)) process.stderr.write(`${message}\n`);
  // Its pointer leads into a request, which the command line has not.
  return refuse(faults.find(({ message }) => problem.message.endsWith(message))?.message ?? problem.message);
}

import { unprocessable } from '../../model/errors.ts';
import type { Db } from '../../store/db/db.ts';
import { lockRecords } from '../../store/records/records.ts';
import { userTable } from '../../store/tables/userTable.ts';

/** An alert is assigned to users of its own tenant; any other user is reported like a missing one. */
export async function checkAssignee(tx: Db, tenantId: number, assigneeId: number): Promise<void> {
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const users = await lockRecords(tx, userTable, scope, [assigneeId], 'read');
  if (!users.has(assigneeId))
    throw unprocessable('/assigneeId', 'unknown-reference', 'There is no user with this id.');
}

import { invalid, Problem, unprocessable } from '../../model/errors.ts';
import { listContacts, saveContact } from '../../store/onCall/contacts.ts';
import { lockRecords } from '../../store/records/records.ts';
import { destinationTable } from '../../store/tables/destinationTable.ts';
import { userTable } from '../../store/tables/userTable.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';

export type ContactView = Awaited<ReturnType<typeof listContacts>>[number];

/** The users of a tenant who can be put on call, and how each is called. */
export async function readContacts(call: Call, tenantId: number | undefined): Promise<ContactView[]> {
  return listContacts(call.db, tenantFor(call, tenantId));
}

/** A tenant beyond the caller's reach is reported like a missing one. */
function tenantFor({ principal, scope }: Call, asked: number | undefined): number {
  const tenantId = asked ?? principal.tenantId;
  if (tenantId === null)
    throw invalid('/tenantId', 'required', 'is required: your token belongs to no tenant.');
  if (!scope.all && !scope.tenantIds.includes(tenantId))
    throw new Problem('not-found', 'There is no such tenant.');
  return tenantId;
}

/** Sets how a user is called. */
export async function changeContact(
  call: Call,
  userId: number,
  destinationIds: readonly number[],
): Promise<ContactView> {
  const users = await lockRecords(call.db, userTable, call.scope, [userId], 'write');
  const tenantId = users.get(userId)?.tenantId;
  if (typeof tenantId !== 'number') throw new Problem('not-found', 'There is no such user.');
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const found = await lockRecords(call.db, destinationTable, scope, destinationIds, 'read');
  for (const [index, id] of destinationIds.entries())
    if (!found.has(id))
      throw unprocessable(
        `/destinationIds/${index}`,
        'unknown-reference',
        'There is no destination with this id.',
      );
  const before = (await listContacts(call.db, tenantId)).find((contact) => contact.userId === userId);
  await saveContact(call.db, { tenantId, userId }, destinationIds, call.now);
  const after = (await listContacts(call.db, tenantId)).find((contact) => contact.userId === userId);
  if (!after) throw new Problem('conflict', 'The user is disabled, and cannot be called.');
  const { updatedAt: _before, ...former } = before ?? after;
  const { updatedAt: _after, ...present } = after;
  await audit(call, 'contact', 'update', { id: userId, tenantId }, former, present);
  return after;
}

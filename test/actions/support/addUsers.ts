import { randomUUID } from 'node:crypto';
import type { Role } from '../../../src/model/principal.ts';
import { issueToken } from '../../../src/services/accounts/issueToken.ts';
import type { TestWatch } from '../../../testing/startTestWatch.ts';

export type Person = { token: string; userId: number; email: string };

/** A user that an administrator made, with a key, which counts as the user. */
export async function addUser({ ok, store, tenantId }: TestWatch, role: Role): Promise<Person> {
  const email = `${randomUUID()}@example.com`;
  const { id: userId } = await ok('POST', 'user', { tenantId, email, roles: [role] });
  const key = { kind: 'API_KEY', tenantId, userId, label: null, roles: [role], expiredAt: null } as const;
  return { token: (await issueToken(store, key, Date.now())).token, userId, email };
}

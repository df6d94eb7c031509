import type { Alert } from '../../../../sdk/src/index.ts';
import { searchRecords } from '../../state/api.ts';
import { can, me } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

type Named = { id: number; name: string | null; email: string };

/** Users of the alert's tenant, for who may see them; others know only themselves. */
function useUsers(tenantId: number): readonly Named[] {
  const { data } = useLoad(can('POST /user/search') ? `users ${tenantId}` : null, (signal) =>
    searchRecords<Named>(
      '/user',
      { where: `tenantId = ${tenantId} and status = 'ACTIVE'`, size: 500 },
      signal,
    ),
  );
  const user = me.value;
  if (data) return data.data;
  return user && user.userId !== null && user.tenantId === tenantId
    ? [{ id: user.userId, name: null, email: 'you' }]
    : [];
}

export type AssigneeProps = {
  alert: Pick<Alert, 'tenantId' | 'assigneeId'>;
  onAssign(assigneeId: number | null): void;
};

/** Who works on an alert; anyone may take it, managers hand it to others. */
export function Assignee({ alert: { tenantId, assigneeId }, onAssign }: AssigneeProps) {
  const users = useUsers(tenantId);
  const own = me.value?.userId ?? undefined;
  const isOther = assigneeId !== null && !users.some(({ id }) => id === assigneeId);
  if (!can('PUT /alert/{uid}'))
    return assigneeId === null ? null : <span class="dim">assigned to {nameIn(users, assigneeId)}</span>;
  if (users.length === 0 && !isOther) return null;
  return (
    <label class="row tight still">
      <span class="dim">Assigned to</span>
      <select
        value={assigneeId ?? ''}
        onChange={({ currentTarget }) =>
          onAssign(currentTarget.value === '' ? null : Number(currentTarget.value))
        }
      >
        <option value="">no one</option>
        {isOther && <option value={assigneeId}>{nameIn(users, assigneeId)}</option>}
        {users.map((user) => (
          <option key={user.id} value={user.id}>
            {user.id === own ? 'you' : nameIn(users, user.id)}
          </option>
        ))}
      </select>
    </label>
  );
}

function nameIn(users: readonly Named[], id: number): string {
  const user = users.find((one) => one.id === id);
  return user ? (user.name ?? user.email).slice(0, 100) : `user #${id}`;
}

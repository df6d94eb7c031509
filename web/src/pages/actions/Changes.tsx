import type { Approval } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';

type Change = NonNullable<Approval['changes']>[number];

const tones = { ADDED: 'good', CHANGED: 'accent', REMOVED: 'bad' } as const;

/** Everything that a request would change, each record with its members before and after. */
export function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <>
      {changes.map(({ change, kind, id, name, members }) => (
        <section key={`${kind} ${id} ${name}`} class="notice">
          <h3 class="foreign">
            <Badge tone={tones[change]}>{change}</Badge> {kind} {name}{' '}
            {id !== null && <span class="dim">#{id}</span>}
          </h3>
          <dl class="facts">
            {members.map(({ name: member, before, after }) => (
              <Member key={member} name={member} change={change} before={before} after={after} />
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}

type MemberProps = { name: string; change: Change['change']; before: unknown; after: unknown };

function Member({ name, change, before, after }: MemberProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd class="foreign">
        {change !== 'ADDED' && <del>{toText(before)}</del>}{' '}
        {change !== 'REMOVED' && <ins>{toText(after)}</ins>}
      </dd>
    </>
  );
}

function toText(value: unknown): string {
  if (value === null || value === '') return '—';
  if (typeof value !== 'object') return String(value);
  if (!('kind' in value && 'id' in value && 'name' in value)) return JSON.stringify(value, null, 1);
  const address = 'address' in value ? ` ${String(value.address)}` : '';
  const chain = 'chainUid' in value ? ` on ${String(value.chainUid)}` : '';
  return `${String(value.name)}${value.id === null ? '' : ` (#${String(value.id)})`}${address}${chain}`;
}

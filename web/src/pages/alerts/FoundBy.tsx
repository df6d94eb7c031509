import { toLabel } from '../../state/format.ts';
import { type Matched, typedClauses } from './matched.ts';
import { Part } from './Part.tsx';

/** Why a search found the alert: its clauses, with the members and words that matched. */
export function FoundBy({ matched }: { matched: Matched }) {
  const clauses = typedClauses(matched);
  if (clauses.length === 0) return null;
  return (
    <Part title="Why it was found">
      <dl class="facts">
        {clauses.map(({ clause, position, members, words }) => (
          <>
            <dt key={position} class="mono foreign">
              {clause.slice(0, 200)}
            </dt>
            <dd class="foreign">
              {members.map((member) => toLabel(member.replace(/^meta\./, ''))).join(', ') || 'the alert'}
              {words.length > 0 && (
                <span class="dim">
                  {': '}
                  {words.join(', ')}
                </span>
              )}
            </dd>
          </>
        ))}
      </dl>
    </Part>
  );
}

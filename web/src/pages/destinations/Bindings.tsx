import { Severity } from '../../parts/Severity.tsx';
import { client } from '../../state/api.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

const pages = {
  detector: (id: number) => `/detectors/${id}`,
  trigger: (id: number) => `/triggers?trigger=${id}`,
  action: (id: number) => `/actions?action=${id}`,
};

/** What sends its alerts to a destination. */
export function Bindings({ id }: { id: number }) {
  const { data } = useLoad(can('GET /destination/{id}/binding') ? `bindings ${id}` : null, (signal) =>
    client.get('/destination/{id}/binding', { path: { id }, signal }),
  );
  if (!data) return null;
  return (
    <section class="stack">
      <h3>Bound to</h3>
      {data.data.length === 0 && (
        <p class="dim">
          Nothing. Say below what it gets, or open a detector, trigger or action and add it there.
        </p>
      )}
      <ul>
        {data.data.map(
          ({ kind, recordId, name, bindingId, minSeverity, query, afterConfirmations, fault }) => (
            <li key={`${kind} ${bindingId}`} class="row">
              <span class="tag">{kind}</span>
              <a class="foreign" href={href(pages[kind](recordId))}>
                {name}
              </a>
              {minSeverity && (
                <span class="dim small">
                  from <Severity value={minSeverity} />
                </span>
              )}
              {afterConfirmations ? (
                <span class="dim small">after {afterConfirmations} confirmations</span>
              ) : null}
              {query && <code class="small foreign">{query}</code>}
              {fault && <span class="bad small">{fault}</span>}
            </li>
          ),
        )}
      </ul>
    </section>
  );
}

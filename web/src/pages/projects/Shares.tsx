import { client } from '../../state/api.ts';
import { href } from '../../state/route.ts';
import { can, me } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';

/** Projects that other tenants share: offered ones can be accepted, accepted ones left. */
export function Shares() {
  const shares = useLoad(me.value?.tenantId && can('GET /share') ? 'shares' : null, (signal) =>
    client.get('/share', { signal }),
  );
  if (!shares.data || shares.data.data.length === 0) return null;
  const mayAnswer = can('POST /share/{projectId}/accept');
  const answer = (work: () => Promise<unknown>, done: string) => void attempt(work, done).then(shares.reload);
  return (
    <section class="card" aria-labelledby="shares">
      <header>
        <h2 id="shares">Shared with you</h2>
      </header>
      <ul class="list">
        {shares.data.data.map(({ projectId, name, ownerName, status }) => (
          <li key={projectId} class="row apart">
            <span>
              {status === 'ACCEPTED' ? (
                <a class="foreign" href={href(`/projects/${projectId}`)}>
                  {name}
                </a>
              ) : (
                <span class="foreign">{name}</span>
              )}{' '}
              <span class="dim foreign">by {ownerName}</span>
            </span>
            {mayAnswer && (
              <span class="row tight">
                {status !== 'ACCEPTED' && (
                  <button
                    type="button"
                    class="small"
                    onClick={() =>
                      answer(
                        () => client.post('/share/{projectId}/accept', { path: { projectId } }),
                        'Accepted.',
                      )
                    }
                  >
                    Accept
                  </button>
                )}
                <button
                  type="button"
                  class="small"
                  onClick={() =>
                    answer(() => client.delete('/share/{projectId}', { path: { projectId } }), 'Done.')
                  }
                >
                  {status === 'ACCEPTED' ? 'Leave' : 'Decline'}
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

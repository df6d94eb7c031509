import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';

type Delivery = ReplyOf<'GET', '/destination/{id}/delivery'>['data'][number];

/** The newest messages with every attempt; what did not get through can be sent again. */
export function Deliveries({ deliveries, reload }: { deliveries: Delivery[] | undefined; reload(): void }) {
  if (!deliveries) return null;
  return (
    <section class="stack">
      <h3>Deliveries</h3>
      {deliveries.length === 0 && <p class="dim">Nothing was sent here yet. Send a test message.</p>}
      <ul class="list">
        {deliveries.map((delivery) => (
          <li key={delivery.uid}>
            <Row delivery={delivery} reload={reload} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Row({ delivery, reload }: { delivery: Delivery; reload(): void }) {
  const { uid, type, state, alertUid, createdAt, nextAttemptAt, attempts, lastError } = delivery;
  return (
    <details>
      <summary>
        <Badge value={state} /> <span class="mono small">{type}</span>{' '}
        <span class="dim small">
          <Time at={createdAt} />
          {attempts.length > 1 && `, ${attempts.length} attempts`}
        </span>
        {lastError && state !== 'DELIVERED' && <span class="fault foreign"> {lastError.slice(0, 120)}</span>}
      </summary>
      <div class="stack nested">
        <ol>
          {attempts.map(({ attempt, at, durationMs, status, error }) => (
            <li key={attempt} class="small foreign">
              {attempt}. <Time at={at} exact /> {durationMs} ms{status === null ? '' : `, status ${status}`}
              {error && <span class="fault">: {error}</span>}
            </li>
          ))}
        </ol>
        {nextAttemptAt && (
          <p class="dim small">
            The next attempt is <Time at={nextAttemptAt} />.
          </p>
        )}
        <p class="row">
          {alertUid && <a href={href(`/alert/${alertUid}`)}>The alert</a>}
          {state !== 'PENDING' && can('POST /delivery/{uid}/replay') && (
            <button
              type="button"
              class="small"
              onClick={async () => {
                if (
                  await attempt(
                    () => client.post('/delivery/{uid}/replay', { path: { uid } }),
                    'It is sent again.',
                  )
                )
                  reload();
              }}
            >
              Send again
            </button>
          )}
        </p>
      </div>
    </details>
  );
}

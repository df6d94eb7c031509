import { useState } from 'preact/hooks';
import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Problem } from '../../parts/Problem.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { href } from '../../state/route.ts';
import { mayChooseTenant, tenantId } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';
import { heldWords } from './heldWords.ts';

type Trial = ReplyOf<'POST', '/route/try'>['data'][number];

/** What the routes would do with the newest alerts that a query finds, before they are on and after. */
export function RouteTrial() {
  const [query, setQuery] = useState('*');
  const [tried, setTried] = useState<{ query: string; round: number }>();
  const own = mayChooseTenant.value && tenantId.value !== undefined ? { tenantId: tenantId.value } : {};
  const { data, error, isLoading } = useLoad(
    tried ? `routes ${tried.round} ${tried.query}` : null,
    (signal) => client.post('/route/try', { body: { ...own, query: tried?.query || '*' }, signal }),
  );
  return (
    <section class="card stack" aria-label="Try the routes">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          setTried({ query: query.trim(), round: (tried?.round ?? 0) + 1 });
        }}
      >
        <input
          class="grow"
          aria-label="Alerts to try"
          placeholder="A query, such as severity:HIGH"
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
        <button type="submit" disabled={isLoading}>
          Try
        </button>
      </form>
      <p class="dim">Says what would happen to the newest alerts of the last seven days. Nothing is sent.</p>
      <Problem error={error} />
      {data && data.data.length === 0 && <p class="dim">The query finds no alert of the last seven days.</p>}
      {data && data.data.length > 0 && (
        <ul class="list" aria-live="polite">
          {data.data.map((trial, index) => (
            <li key={trial.alert.uid ?? index} class="stack tight">
              <TriedAlert trial={trial} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function TriedAlert({ trial: { alert, code, reason, silences, inhibitions, routes } }: { trial: Trial }) {
  return (
    <>
      <span class="row">
        <Severity value={alert.severity} />
        <a class="foreign cut" href={href(`/alert/${alert.uid}`)}>
          {(alert.name ?? '').slice(0, 120)}
        </a>
        <span class="dim">
          <Time at={alert.timestamp} />
        </span>
      </span>
      {routes.map(({ id, path, held, destinations, repeatSeconds }) => (
        <span key={id} class="row">
          <a class="foreign" href={href(`/routes?route=${id}`)}>
            {path.map((name) => name.slice(0, 60)).join(' › ')}
          </a>
          <span class="foreign">
            {held
              ? heldWords[held]
              : `→ ${destinations.map(({ id, name }) => (name ?? `#${id}`).slice(0, 60)).join(', ')}`}
          </span>
          {repeatSeconds !== null && !held && (
            <span class="dim">repeated every {showSeconds(repeatSeconds)}</span>
          )}
        </span>
      ))}
      {code && (
        <span class="dim">
          No one would be notified. {reason}{' '}
          {[...silences.map((silence) => silence.reason), ...inhibitions.map(({ name }) => name)]
            .map((text) => text.slice(0, 100))
            .join(', ')}
        </span>
      )}
    </>
  );
}

/** 90 s, 15 min, 2 h. */
export function showSeconds(seconds: number): string {
  if (seconds % 3600 === 0 && seconds > 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 && seconds > 0 ? `${seconds / 60} min` : `${seconds} s`;
}

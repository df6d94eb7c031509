import { useEffect, useState } from 'preact/hooks';
import { Message } from '../../parts/Evidence.tsx';
import { Time } from '../../parts/Time.tsx';
import { client, faultsOf, messageOf } from '../../state/api.ts';
import { useLoad } from '../../state/useLoad.ts';

const pauseMs = 400;

/** The message as it is typed, on the newest alert that the detector, or another one of its kind on the contract, has raised. */
export function MessagePreview({ template, query }: { template: string; query: string }) {
  const [settled, setSettled] = useState(template);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(template), pauseMs);
    return () => clearTimeout(timer);
  }, [template]);
  const newest = useLoad(query, (signal) =>
    client.post('/alert/search', { body: { query, size: 1, trackTotalCount: 0 }, signal }),
  ).data?.data[0];
  const { data, error } = useLoad(newest && settled ? `${newest.uid} ${settled}` : null, (signal) =>
    client.post('/alert/{uid}/preview', { path: { uid: newest!.uid }, body: { template: settled }, signal }),
  );
  if (!template) return null;
  return (
    <section class="card stack" aria-label="Preview of the message">
      <header>
        <h2>Message</h2>
        {newest && (
          <span class="dim small">
            on its alert of <Time at={newest.timestamp} exact />
          </span>
        )}
      </header>
      {!newest && <p class="dim">There is no alert yet on which it could be tried.</p>}
      {error !== undefined && error !== null && (
        <p class="bad foreign" role="status">
          {faultsOf(error)[0]?.message ?? messageOf(error)}
        </p>
      )}
      {(error === undefined || error === null) && data && (
        <p class="foreign keep-lines" role="status">
          <Message text={data.message} />
        </p>
      )}
    </section>
  );
}

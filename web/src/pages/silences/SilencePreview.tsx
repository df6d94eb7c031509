import { useEffect, useState } from 'preact/hooks';
import type { BodyOf } from '../../../../sdk/src/index.ts';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { client, messageOf } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { href } from '../../state/route.ts';
import { mayChooseTenant, tenantId } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

type Draft = Omit<BodyOf<'POST', '/silence/preview'>, 'query'> & { query: string | undefined };

/** The alerts of the last seven days that a silence would have hidden. */
export function SilencePreview({ draft }: { draft: Draft }) {
  const settled = useSettled(JSON.stringify(draft));
  const { query, ...rest } = JSON.parse(settled) as Draft;
  const own = mayChooseTenant.value && tenantId.value !== undefined ? { tenantId: tenantId.value } : {};
  const { data, error } = useLoad(query?.trim() ? `preview ${settled}` : null, (signal) =>
    client.post('/silence/preview', { body: { ...own, ...rest, query: query ?? '' }, signal }),
  );
  if (!query?.trim()) return null;
  if (error) return <p class="fault foreign">{messageOf(error)}</p>;
  if (!data) return <p class="dim">Looking at the last seven days …</p>;
  return (
    <section class="stack" aria-label="Preview" aria-live="polite">
      <p>
        <strong>{showCount(data.total)}</strong> {data.total === 1 ? 'alert' : 'alerts'} of the last seven
        days would have been hidden.
      </p>
      <ul class="list">
        {data.data.map(({ uid, severity, name, timestamp }) => (
          <li key={uid} class="row">
            <Severity value={severity} />
            <a class="foreign cut" href={href(`/alert/${uid}`)}>
              {name.slice(0, 120)}
            </a>
            <span class="dim">
              <Time at={timestamp} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What was typed, once nothing more is for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

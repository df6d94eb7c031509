import { useState } from 'preact/hooks';
import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { withinTenant } from '../../state/alertQuery.ts';
import { client, searchRecords } from '../../state/api.ts';
import { showCount, showDuration } from '../../state/format.ts';
import { lastSeen } from '../../state/lastSeen.ts';
import { href } from '../../state/route.ts';
import { can, mayChooseTenant, tenantId } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

type Row = ReplyOf<'POST', '/incident/search'>['data'][number];

/** Shorter absences are none. */
const shortestMs = 30 * 60_000;
const shown = 5;

/** What happened since the console was last in view: how many alerts, and the worst incidents. */
export function AwayCard() {
  const [isClosed, setClosed] = useState(false);
  const [now] = useState(Date.now());
  const since = lastSeen !== undefined && now - lastSeen >= shortestMs ? lastSeen : undefined;
  const isOffered = since !== undefined && can('POST /incident/search') && !isClosed;
  const { data } = useLoad(
    isOffered ? `away ${tenantId.value}` : null,
    async (signal) => {
      const own =
        mayChooseTenant.value && tenantId.value !== undefined ? ` and tenantId = ${tenantId.value}` : '';
      const [incidents, alerts] = await Promise.all([
        searchRecords<Row>(
          '/incident',
          {
            where: `lastAt > ${since}${own}`,
            size: shown,
            sort: [
              { field: 'numericSeverity', order: 'desc' },
              { field: 'lastAt', order: 'desc' },
            ],
          },
          signal,
        ),
        client.post('/alert/search', {
          body: { query: withinTenant(`timestamp:[${since} TO *]`), size: 0, trackTotalCount: 10_000 },
          signal,
        }),
      ]);
      return { incidents, alerts };
    },
    { later: true },
  );
  if (!isOffered || !data || since === undefined) return null;
  const { incidents, alerts } = data;
  return (
    <section class="card" aria-labelledby="away">
      <header>
        <h2 id="away">Since you were away ({showDuration(now - since)})</h2>
        <button type="button" class="small" onClick={() => setClosed(true)}>
          Seen
        </button>
      </header>
      <p>
        <a href={href(`/alerts?range=${since}-${now}`)}>
          {alerts.total === 1 ? '1 alert' : `${showCount(alerts.total ?? 0)} alerts`}
        </a>{' '}
        in {incidents.total === 1 ? '1 incident' : `${showCount(incidents.total)} incidents`}
        {incidents.total === 0 && ': nothing happened'}.
      </p>
      <ul class="list">
        {incidents.data.map(({ uid, severity, name, status, alerts: count, lastAt, acknowledgedBy }) => (
          <li key={uid} class="row">
            <Severity value={severity} />
            <a class="foreign" href={href(`/incidents/${uid}`)}>
              {name.slice(0, 200)}
            </a>
            {status !== 'UNRESOLVED' && <Badge value={status} />}
            <span class="dim small">
              {count === 1 ? '1 alert' : `${showCount(count)} alerts`}, <Time at={lastAt} />
              {acknowledgedBy && (
                <>
                  , acknowledged by <span class="foreign">{acknowledgedBy.slice(0, 80)}</span>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

import { Empty, Loading } from '../../parts/Empty.tsx';
import { Message } from '../../parts/Evidence.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { withinTenant } from '../../state/alertQuery.ts';
import { client } from '../../state/api.ts';
import { nameOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';
import { useTail } from '../alerts/useTail.ts';

const shown = 8;
const condition = 'status:UNRESOLVED AND severity:(HIGH OR CRITICAL)';

/** The newest open alerts that matter, as they happen. */
export function NewestCard() {
  const query = withinTenant(condition);
  const list = useLoad(query, (signal) =>
    client.post('/alert/search', { body: { query, size: shown, trackTotalCount: 0 }, signal }),
  );
  // What follows an open alert (resolved, retracted) no longer fits the condition; the next reading leaves it out.
  const tail = useTail(query, can('GET /alert/stream'));
  const known = new Set(tail.rows.map(({ uid }) => uid));
  const rows = [...tail.rows, ...(list.data?.data ?? []).filter(({ uid }) => !known.has(uid))].slice(
    0,
    shown,
  );
  return (
    <section class="card" aria-labelledby="newest">
      <header>
        <h2 id="newest">Open, high and critical</h2>
        <a href={href(`/alerts?q=${encodeURIComponent(condition)}`)}>All</a>
      </header>
      <Problem error={list.error} retry={list.reload} />
      {!list.data && list.isLoading && <Loading />}
      {list.data && rows.length === 0 && (
        <Empty title="Nothing is open">High and critical alerts show up here at once.</Empty>
      )}
      <ul class="list">
        {rows.map(({ uid, severity, name, message, timestamp, contractId }) => (
          <li key={uid} class="newest">
            <Severity value={severity} />
            <div class="grow">
              <div class="row">
                <a class="foreign" href={href(`/alerts?alert=${encodeURIComponent(uid)}`)}>
                  {name.slice(0, 200)}
                </a>
                <span class="dim small">
                  <span class="foreign">{nameOf('contract', contractId)?.slice(0, 80)}</span>{' '}
                  <Time at={timestamp} />
                </span>
              </div>
              <p class="small cut foreign">
                <Message text={message.slice(0, 300)} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

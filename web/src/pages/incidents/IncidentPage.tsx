import { useEffect } from 'preact/hooks';
import type { Incident } from '../../../../sdk/src/index.ts';
import type { PageProps } from '../../pageProps.ts';
import { Address } from '../../parts/Address.tsx';
import { Badge } from '../../parts/Badge.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Message } from '../../parts/Evidence.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { client, VigilError } from '../../state/api.ts';
import { showCount, showDuration, showTime } from '../../state/format.ts';
import { chainOf, nameOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { AcknowledgeIncident } from '../alerts/Acknowledge.tsx';
import './incidents.css';
import { Judgement } from './Judgement.tsx';

/** One incident: what is worst in it, what belongs to it, and its alerts in the order in which they happened. */
export default function IncidentPage({ params }: PageProps) {
  const uid = params.uid ?? '';
  const { data, error, isLoading, reload } = useLoad(
    uid,
    (signal) => client.get('/incident/{uid}', { path: { uid }, signal }),
    { every: 5000 },
  );
  const incident = data?.uid === uid ? data : undefined;
  useEffect(() => {
    if (incident) document.title = `${incident.severity}: ${incident.name.slice(0, 200)} – Vigil`;
  }, [incident?.uid, incident?.severity]);
  if (error instanceof VigilError && error.status === 404)
    return (
      <div class="page">
        <Empty
          title="There is no such incident, or you may not see it."
          action={<a href={href('/incidents')}>All incidents</a>}
        />
      </div>
    );
  return (
    <div class="page narrow-page">
      <Problem error={error} retry={reload} />
      {!incident && isLoading && <Loading />}
      {incident && (
        <>
          <Head incident={incident} reload={reload} />
          <Facts incident={incident} />
          <Alerts incident={incident} />
        </>
      )}
    </div>
  );
}

function Head({ incident, reload }: { incident: Incident; reload(): void }) {
  const { uid, name, message, severity, status, openAlerts } = incident;
  const change = async (to: 'RESOLVED' | 'UNRESOLVED', said: string) => {
    const body = { status: to };
    if (await attempt(() => client.put('/incident/{uid}', { path: { uid }, body }), said)) reload();
  };
  return (
    <>
      <header>
        <h1 class="foreign">{name.slice(0, 300)}</h1>
        <Severity value={severity} />
        <Badge value={status} />
      </header>
      <p class="incident-message foreign keep-lines">
        <Message text={message} />
      </p>
      {status === 'RETRACTED' && (
        <p class="notice warn">Its blocks are no longer part of the chain: it did not happen after all.</p>
      )}
      {can('PUT /incident/{uid}') && status !== 'RETRACTED' && (
        <p class="row">
          {status === 'UNRESOLVED' ? (
            <>
              <button
                type="button"
                class="primary"
                onClick={() => change('RESOLVED', 'Resolved the incident and all its alerts.')}
              >
                <Icon name="check" />
                Resolve the incident
              </button>
              <span class="dim small">
                {openAlerts === 1
                  ? 'Its open alert changes'
                  : `Its ${showCount(openAlerts)} open alerts change`}{' '}
                with it; everyone who was notified gets one message.
              </span>
            </>
          ) : (
            <button type="button" onClick={() => change('UNRESOLVED', 'The incident is open again.')}>
              Open it again
            </button>
          )}
        </p>
      )}
      <AcknowledgeIncident incident={incident} reload={reload} />
      <Judgement key={uid} incident={incident} reload={reload} />
    </>
  );
}

const shown = 10;

function Facts({ incident }: { incident: Incident }) {
  const { firstAt, lastAt, chainUid, contractIds, txHashes } = incident;
  return (
    <section class="card" aria-label="Facts">
      <dl class="facts">
        <dt>When</dt>
        <dd>
          {showTime(firstAt)}
          {lastAt > firstAt && <span class="dim">, for {showDuration(lastAt - firstAt)}</span>}
        </dd>
        {chainUid && (
          <>
            <dt>Chain</dt>
            <dd>{chainOf(chainUid)?.name ?? chainUid}</dd>
          </>
        )}
        <dt>{contractIds.length === 1 ? 'Contract' : 'Contracts'}</dt>
        <dd>
          <ul>
            {contractIds.slice(0, shown).map((id) => (
              <li key={id}>
                <a class="foreign" href={href(`/contracts/${id}`)}>
                  {nameOf('contract', id) ?? `#${id}`}
                </a>
              </li>
            ))}
            <More count={contractIds.length - shown} />
          </ul>
        </dd>
        {txHashes.length > 0 && (
          <>
            <dt>{txHashes.length === 1 ? 'Transaction' : 'Transactions'}</dt>
            <dd>
              <ul>
                {txHashes.slice(0, shown).map((hash) => (
                  <li key={hash}>
                    <Address value={hash} chainUid={chainUid} kind="transaction" />
                  </li>
                ))}
                <More count={txHashes.length - shown} />
              </ul>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function More({ count }: { count: number }) {
  return count > 0 ? <li class="dim">and {showCount(count)} more</li> : null;
}

function Alerts({ incident }: { incident: Incident }) {
  const { uid, alertList, firstAt, lastAt } = incident;
  const query = encodeURIComponent(`incidentUid:"${uid}"`);
  return (
    <section class="card" aria-labelledby="incident-alerts">
      <header>
        <h2 id="incident-alerts">
          Its alerts <span class="dim small">{showCount(alertList.length)}</span>
        </h2>
        <a href={href(`/alerts?range=${firstAt}-${lastAt + 1}&q=${query}`)}>As a search</a>
      </header>
      <ol class="timeline">
        {alertList.map(({ uid: alertUid, severity, name, message, status, timestamp }) => (
          <li key={alertUid}>
            <span class="dim small">
              <Time at={timestamp} exact />
            </span>
            <div>
              <span class="row">
                <Severity value={severity} />
                <a class="foreign" href={href(`/alert/${alertUid}`)}>
                  {name.slice(0, 200)}
                </a>
                {status !== 'UNRESOLVED' && <Badge value={status} />}
              </span>
              <p class="small foreign">
                <Message text={message.slice(0, 1000)} />
              </p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

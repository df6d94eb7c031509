import { useState } from 'preact/hooks';
import type { Alert, BodyOf } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Badge, Tags } from '../../parts/Badge.tsx';
import { addressesIn, Message } from '../../parts/Evidence.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { WordsInput } from '../../parts/WordsInput.tsx';
import { useAddressNames } from '../../state/addressNames.ts';
import { client } from '../../state/api.ts';
import { showTime } from '../../state/format.ts';
import { chainOf, nameOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can, mayChooseTenant, me } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { SilenceAlert } from '../silences/SilenceAlert.tsx';
import { AcknowledgeAlert } from './Acknowledge.tsx';
import { AlertOutcome } from './AlertOutcome.tsx';
import { Assignee } from './Assignee.tsx';
import { Comments } from './Comments.tsx';
import { EvidenceByKind } from './EvidenceByKind.tsx';
import { Explain } from './Explain.tsx';
import { Part } from './Part.tsx';
import './alerts.css';

/** Everything about one alert: what happened first, then who deals with it, then the proof. */
export function AlertView({ alert, onChange }: { alert: Alert; onChange(alert: Alert): void }) {
  const names = useAddressNames(addressesIn([alert.meta, alert.message.match(/0x[0-9a-fA-F]{40}\b/g)]));
  const chain = chainOf(alert.chainUid);
  const hasOutcome = isOwn(alert) && can('GET /alert/{uid}/outcome');
  const outcome = useLoad(
    hasOutcome ? `${alert.uid} ${alert.status}` : null,
    (signal) => client.get('/alert/{uid}/outcome', { path: { uid: alert.uid }, signal }),
    { every: 10_000 },
  );
  const nextStep = alert.status === 'UNRESOLVED' ? outcome.data?.nextStep : null;
  return (
    <article class="alert-view stack">
      <header class="stack">
        <div class="row">
          <Severity value={alert.severity} />
          <Badge value={alert.status} />
          {alert.finality === 'PENDING' && <Badge tone="warn">pending: in no block yet</Badge>}
          {alert.suppressed && <Badge tone="warn">not notified: over the rate limit</Badge>}
          {outcome.data?.silence?.code === 'silenced' && <Badge tone="dim">silenced</Badge>}
          {alert.backfilled && <Badge tone="dim">back-filled, not notified</Badge>}
          <span class="dim">
            <Time at={alert.timestamp} />
          </span>
        </div>
        <p class="alert-message foreign keep-lines">
          <Message text={alert.message} names={names} />
        </p>
        {nextStep && (
          <p class="notice next-step">
            <strong>What to do next</strong> {nextStep}
          </p>
        )}
        {outcome.data?.unseen && (
          <p class="notice warn">
            <strong>
              {outcome.data.unseen.state === 'waiting'
                ? 'Inner calls of its block are not seen yet.'
                : 'Inner calls of its block are not seen.'}
            </strong>{' '}
            More may have happened than this alert says. {outcome.data.unseen.reason}
          </p>
        )}
        {alert.status === 'RETRACTED' && (
          <p class="notice warn">{retractions[alert.retractionReason ?? 'REORGANISED']}</p>
        )}
        <Change alert={alert} onChange={onChange} />
      </header>
      <Part title="Where and when">
        <dl class="facts">
          <dt>Contract</dt>
          <dd>
            <a href={href(`/contracts/${alert.contractId}`)} class="foreign">
              {nameOf('contract', alert.contractId) ?? `#${alert.contractId}`}
            </a>
            {' in '}
            <a href={href(`/projects/${alert.projectId}`)} class="foreign">
              {nameOf('project', alert.projectId) ?? `#${alert.projectId}`}
            </a>
          </dd>
          <dt>Time</dt>
          <dd>{showTime(alert.timestamp)}</dd>
          {alert.chainUid && (
            <>
              <dt>Chain</dt>
              <dd>
                {chain?.name ?? alert.chainUid}
                {alert.blockNumber !== null && (
                  <>
                    , block{' '}
                    <Address value={String(alert.blockNumber)} chainUid={alert.chainUid} kind="block" />
                  </>
                )}
              </dd>
              <dt>Finality</dt>
              <dd>{finalities[alert.finality]}</dd>
            </>
          )}
          {alert.txHash && (
            <>
              <dt>Transaction</dt>
              <dd>
                <Address value={alert.txHash} chainUid={alert.chainUid} kind="transaction" />
                {chain?.family === 'evm' && can('GET /alert/{uid}/trace') && (
                  <>
                    {' '}
                    <a href={href(`/alert/${alert.uid}/trace`)}>What happened inside</a>
                  </>
                )}
              </dd>
            </>
          )}
          <Raiser alert={alert} />
          {alert.incidentUid && isOwn(alert) && can('GET /incident/{uid}') && (
            <>
              <dt>Incident</dt>
              <dd>
                <a href={href(`/incidents/${alert.incidentUid}`)}>All alerts of this cause</a>
              </dd>
            </>
          )}
          {alert.walletAddress && (
            <>
              <dt>Wallet</dt>
              <dd>
                <Address
                  value={alert.walletAddress}
                  chainUid={alert.walletChainUid}
                  name={alert.walletName}
                />
              </dd>
            </>
          )}
        </dl>
      </Part>
      {Object.keys(alert.meta).length > 0 && (
        <Part title="Evidence" name="evidence-part">
          <EvidenceByKind alert={alert} names={names} />
        </Part>
      )}
      {hasOutcome && <AlertOutcome outcome={outcome} />}
      {alert.detectorId !== null && alert.txHash && can('POST /detector/{id}/explain') && (
        <Explain detectorId={alert.detectorId} txHash={alert.txHash} chainUid={alert.chainUid} />
      )}
      {isOwn(alert) && can('GET /alert/{uid}/comment') && <Comments uid={alert.uid} />}
      <details>
        <summary>The whole record</summary>
        <pre class="record foreign">{JSON.stringify(alert, null, 2).slice(0, 200_000)}</pre>
      </details>
    </article>
  );
}

/** Alerts of a shared project are shown; its incidents and whom its owner notifies are not. */
const isOwn = ({ tenantId }: Alert): boolean => mayChooseTenant.value || tenantId === me.value?.tenantId;

const finalities = {
  PENDING: 'pending: no block has the transaction yet',
  HEAD: 'head: the block may still be reorganised',
  CONFIRMED: 'confirmed: a reorganisation is unlikely',
  FINAL: 'final: the block stays',
} as const;

const retractions = {
  REORGANISED: 'Its block is no longer part of the chain, so that it did not happen after all.',
  REPLACED: 'Another transaction of the sender took the place of the pending one, so that it did not happen.',
  DROPPED: 'The pending transaction vanished, so that it did not happen.',
  UNFULFILLED: 'A block has the transaction now, but there it did not do what was reported.',
} as const;

function Raiser({ alert }: { alert: Alert }) {
  const { detectorId, triggerId, actionId } = alert;
  const rows = [
    ['detector', 'Detector', detectorId, '/detectors?detector='],
    ['trigger', 'Trigger', triggerId, '/triggers?trigger='],
    ['action', 'Action', actionId, '/actions?action='],
  ] as const;
  return (
    <>
      {rows.map(
        ([kind, title, id, to]) =>
          id !== null && (
            <>
              <dt key={kind}>{title}</dt>
              <dd>
                <a href={href(`${to}${id}`)} class="foreign">
                  {nameOf(kind, id) ?? `#${id}`}
                </a>
              </dd>
            </>
          ),
      )}
    </>
  );
}

function Change({ alert, onChange }: { alert: Alert; onChange(alert: Alert): void }) {
  const [tags, setTags] = useState<readonly string[]>();
  const [error, setError] = useState<unknown>();
  const [isSilencing, setSilencing] = useState(false);
  if (!can('PUT /alert/{uid}')) return <Tags tags={alert.tags} />;
  const change = (body: BodyOf<'PUT', '/alert/{uid}'>, done: string) =>
    attempt(async () => onChange(await client.put('/alert/{uid}', { path: { uid: alert.uid }, body })), done);
  const saveTags = async () => {
    try {
      onChange(
        await client.put('/alert/{uid}', { path: { uid: alert.uid }, body: { tags: [...(tags ?? [])] } }),
      );
      setTags(undefined);
      setError(undefined);
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <>
      <div class="row">
        {alert.status === 'UNRESOLVED' && (
          <button
            type="button"
            class="primary"
            onClick={() => change({ status: 'RESOLVED' }, 'Marked as resolved.')}
          >
            <Icon name="check" />
            Mark as resolved
          </button>
        )}
        {alert.status === 'RESOLVED' && (
          <button type="button" onClick={() => change({ status: 'UNRESOLVED' }, 'Open again.')}>
            Open it again
          </button>
        )}
        {tags === undefined && (
          <>
            <button type="button" onClick={() => setTags(alert.tags)}>
              <Icon name="tag" />
              Tag
            </button>
            <Tags tags={alert.tags} />
          </>
        )}
        {can('POST /silence') && isOwn(alert) && (
          <button type="button" onClick={() => setSilencing(true)}>
            Silence…
          </button>
        )}
        {isSilencing && <SilenceAlert alert={alert} onClose={() => setSilencing(false)} />}
        <span class="grow" />
        <Assignee
          alert={alert}
          onAssign={(assigneeId) =>
            change({ assigneeId }, assigneeId === null ? 'Assigned to no one.' : 'Assigned.')
          }
        />
      </div>
      <AcknowledgeAlert alert={alert} onChange={onChange} />
      {tags !== undefined && (
        <div class="stack">
          <label class="label" for="alert-tags">
            Tags
          </label>
          <WordsInput id="alert-tags" value={tags} onChange={setTags} />
          <Problem error={error} />
          <div class="row end">
            <button type="button" onClick={() => setTags(undefined)}>
              Cancel
            </button>
            <button type="button" class="primary" onClick={saveTags}>
              Save tags
            </button>
          </div>
        </div>
      )}
    </>
  );
}

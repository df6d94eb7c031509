import { useMemo } from 'preact/hooks';
import type { Instance } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Chart } from '../../parts/Chart.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { shortenHex, showCount } from '../../state/format.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { scoreLines } from './scoreLines.ts';

type Period = { id: number; startedAt: string; expiredAt: string | null; updatedAt: number };

/** Present scores with their history, and the alert behind each change. */
export function InstanceDetail({ instance, reload }: { instance: Instance; reload(): void }) {
  const { id } = instance;
  const score = useLoad(
    `score ${id}`,
    (signal) => client.get('/instance/{id}/score', { path: { id }, signal }),
    { every: 10_000 },
  );
  const data = score.data;
  const lines = useMemo(
    () => scoreLines((data?.history ?? []).map(({ ts, bucket }) => ({ ts, scores: bucket }))),
    [data],
  );
  const resume = async () => {
    if (await attempt(() => client.post('/instance/{id}/resume', { path: { id } }), 'Scoring goes on.')) {
      score.reload();
      reload();
    }
  };
  return (
    <>
      <Problem error={score.error} retry={score.reload} />
      {!data && score.error === undefined && <Loading />}
      {data?.fault && (
        <div class="notice bad" role="alert">
          <p class="foreign">
            Scoring stands still: {data.fault.script}
            {data.fault.line !== null && ` line ${data.fault.line}`}: {data.fault.message}
          </p>
          <p class="dim small">
            {showCount(data.waiting)} events wait. Mend the license, or go on if the fault has passed.
          </p>
          {can('POST /instance/{id}/resume') && (
            <button type="button" class="small" onClick={resume}>
              Go on
            </button>
          )}
        </div>
      )}
      {data?.state === 'INACTIVE' && (
        <p class="notice">
          {instance.licenseStatus === 'LICENCED'
            ? 'Nothing is scored at the moment: the instance must be switched on and inside of a period, and its license needs a score script.'
            : 'It counts nothing: the license is not granted yet. Set the license status below to Granted.'}
        </p>
      )}
      <ul>
        {data?.data.map(({ scoreGroup, title, score: value, min, max, changes, changedAt }) => (
          <li key={scoreGroup} class="row apart">
            <span class="foreign">{title ?? scoreGroup}</span>
            <span>
              <strong>{round(value)}</strong>
              <span class="dim small">
                {' '}
                of {min ?? 0} to {max ?? 'any'}, {showCount(changes)} changes, last <Time at={changedAt} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {lines.times.length > 1 && <Chart label="Scores over time" {...lines} height={150} />}
      <Steps id={id} />
      <RecordList kind={periodsOf(id)} />
      <h3>Settings</h3>
    </>
  );
}

const round = (value: number) => Math.round(value * 100) / 100;

function Steps({ id }: { id: number }) {
  const { data } = useLoad(`steps ${id}`, (signal) =>
    client.post('/instance/{id}/score/search', { path: { id }, body: { size: 12 }, signal }),
  );
  if (!data) return null;
  return (
    <section class="stack">
      <h3>Changes</h3>
      {data.data.length === 0 && <p class="dim">None yet. An alert that the license cares for makes one.</p>}
      <ul class="list">
        {data.data.map((step) => (
          <li key={step.uid} class="small">
            <p class="row">
              <strong class={step.scoreChange < 0 ? 'bad' : 'good'}>
                {step.scoreChange > 0 ? '+' : ''}
                {round(step.scoreChange)}
              </strong>
              <span class="foreign">
                {step.scoreGroup} is {round(step.score)}
              </span>
              {step.severity && <Severity value={step.severity} />}
              <span class="dim">
                <Time at={step.timestamp} />
              </span>
              {step.type !== 'alert' && <Badge>{step.type}</Badge>}
            </p>
            {step.alertId && (
              <a class="foreign" href={href(`/alert/${step.alertId}`)}>
                {shortenHex(step.alertMessage ?? step.alertName ?? 'The alert').slice(0, 200)}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function periodsOf(id: number): RecordKind<Period> {
  return {
    path: '/instance/meta',
    singular: 'period',
    plural: 'Periods',
    about: 'The license holds within its periods only. Add the first one.',
    where: `licenseInstanceId = ${id}`,
    columns: [
      { name: 'start', title: 'Begins', show: ({ startedAt }) => <Time at={Date.parse(startedAt)} /> },
      {
        name: 'end',
        title: 'Ends',
        show: ({ expiredAt }) => (expiredAt === null ? 'never' : <Time at={Date.parse(expiredAt)} />),
      },
    ],
    form: {
      defaults: { licenseInstanceId: id, startedAt: new Date().toISOString() },
      hidden: ['licenseInstanceId'],
    },
  };
}

import { useMemo, useState } from 'preact/hooks';
import type { License, ReplyOf } from '../../../../sdk/src/index.ts';
import { Chart } from '../../parts/Chart.tsx';
import { Problem } from '../../parts/Problem.tsx';
import type { Fields } from '../../parts/RecordForm.tsx';
import { RecordSelect } from '../../parts/RecordSelect.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { can } from '../../state/session.ts';
import { scoreLines } from './scoreLines.ts';

type Trial = ReplyOf<'POST', '/license/{id}/try'>;

/** What the scripts in the form would have made of a project's alerts of the last 30 days. */
export function Try({ license, typed }: { license: License; typed: Fields | undefined }) {
  const [projectId, setProjectId] = useState<number>();
  const [trial, setTrial] = useState<Trial>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const lines = useMemo(
    () =>
      scoreLines(
        (trial?.data ?? []).map(({ timestamp, scoreGroup, score }) => ({
          ts: timestamp,
          scores: { [scoreGroup]: score },
        })),
      ),
    [trial],
  );
  if (!can('POST /license/{id}/try')) return null;
  const run = async () => {
    if (projectId === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      const { params, groupScript, scoreScript }: Partial<License> = typed ?? license;
      setTrial(
        await client.post('/license/{id}/try', {
          path: { id: license.id },
          body: {
            projectId,
            params: params ?? null,
            groupScript: groupScript ?? null,
            scoreScript: scoreScript ?? null,
          },
        }),
      );
    } catch (reason) {
      setError(reason);
    }
    setBusy(false);
  };
  return (
    <section class="stack">
      <h3>Try it on the alerts of the last 30 days</h3>
      <div class="row still">
        <RecordSelect
          kind="project"
          label="Project"
          none="Choose a project …"
          value={projectId}
          onChange={setProjectId}
        />
        <button type="button" disabled={projectId === undefined || isBusy} onClick={run}>
          Try
        </button>
      </div>
      <Problem error={error} />
      {trial?.fault && (
        <p class="notice bad foreign" role="alert">
          {trial.fault.script}
          {trial.fault.line !== null && ` line ${trial.fault.line}`}: {trial.fault.message}
        </p>
      )}
      {trial && (
        <div class="stack" role="status">
          <p>
            {showCount(trial.data.length)} changes by {showCount(trial.events)} events
            {trial.isComplete ? '' : '; there are more, which were not tried'}.{' '}
            {trial.groups.map(({ scoreGroup, score }) => (
              <span key={scoreGroup} class="foreign">
                {scoreGroup} ends at <strong>{score}</strong>.{' '}
              </span>
            ))}
          </p>
          {lines.times.length > 1 && <Chart label="Scores over time" {...lines} height={150} />}
          <details>
            <summary>Changes</summary>
            <ul class="list">
              {trial.data.slice(0, 100).map((change, index) => (
                <li key={`${change.timestamp} ${index}`} class="row small">
                  <strong class={change.scoreChange < 0 ? 'bad' : 'good'}>{change.scoreChange}</strong>
                  <span class="foreign">
                    {change.scoreGroup} is {change.score}
                  </span>
                  {change.severity && <Severity value={change.severity} />}
                  <span class="foreign grow">{change.alertName ?? change.type}</span>
                  <span class="dim">
                    <Time at={change.timestamp} exact />
                  </span>
                </li>
              ))}
            </ul>
          </details>
        </div>
      )}
    </section>
  );
}

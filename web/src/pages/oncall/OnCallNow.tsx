import type { Schedule } from '../../../../sdk/src/index.ts';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { useLoad } from '../../state/useLoad.ts';
import { DutyChart } from './DutyChart.tsx';

/** Who is on call now by a schedule, and the next two weeks. */
export function OnCallNow({
  schedule: { id, name, updatedAt },
}: {
  schedule: Pick<Schedule, 'id' | 'name' | 'updatedAt'>;
}) {
  const key = `${id} ${updatedAt}`;
  const now = useLoad(
    `on call ${key}`,
    (signal) => client.get('/schedule/{id}/on-call', { path: { id }, signal }),
    {
      every: 30_000,
    },
  );
  const shifts = useLoad(
    `shifts ${key}`,
    (signal) => client.get('/schedule/{id}/shifts', { path: { id }, signal }),
    {
      every: 300_000,
    },
  );
  return (
    <section class="stack" aria-label={`On call by ${name}`}>
      <Problem error={now.error ?? shifts.error} />
      {now.data && (
        <p class="row">
          {now.data.user ? (
            <>
              <strong class="foreign">{now.data.user.name.slice(0, 100)}</strong>
              <span class="dim">is on call by {now.data.layerName ?? 'an override'}</span>
            </>
          ) : (
            <strong class="bad">No one is on call</strong>
          )}
          {now.data.until !== null && (
            <span class="dim">
              until <Time at={now.data.until} />
              {now.data.next ? (
                <span class="foreign">, then {now.data.next.name.slice(0, 100)}</span>
              ) : (
                ', then no one'
              )}
            </span>
          )}
        </p>
      )}
      {shifts.data && <DutyChart name={name} shifts={shifts.data} />}
      {shifts.data?.warnings.map((warning) => (
        <p key={warning} class="notice warn foreign">
          {warning}
        </p>
      ))}
    </section>
  );
}

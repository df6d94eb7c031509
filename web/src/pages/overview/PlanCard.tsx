import type { Instance } from '../../../../sdk/src/index.ts';
import { client, searchRecords } from '../../state/api.ts';
import { showCompact, toLabel } from '../../state/format.ts';
import { nameOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { me } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

/** The plan and what of it is used, and the present scores. */
export function PlanCard() {
  const plan = me.value?.plan;
  return (
    <>
      {plan && (
        <section class="card" aria-labelledby="plan">
          <header>
            <h2 id="plan">
              Plan <span class="dim foreign">{plan.name}</span>
            </h2>
          </header>
          <ul class="stack">
            {(Object.keys(plan.limits) as (keyof typeof plan.limits)[])
              .filter((name) => plan.use[name] > 0)
              .map((name) => (
                <Use key={name} name={name} use={plan.use[name]} limit={plan.limits[name]} />
              ))}
          </ul>
        </section>
      )}
      <Scores />
    </>
  );
}

function Use({ name, use, limit }: { name: string; use: number; limit: number }) {
  const share = limit === 0 ? 1 : use / limit;
  return (
    <li class="use">
      <span class="row apart">
        {toLabel(name.replace(/^max/, ''))}
        <span class="dim">
          {showCompact(use)} of {limit >= 1_000_000_000 ? 'any number' : showCompact(limit)}
        </span>
      </span>
      <div class={`meter${share >= 1 ? ' bad' : share > 0.8 ? ' warn' : ''}`} aria-hidden="true">
        <i style={{ width: `${Math.min(100, Math.max(1, share * 100))}%` }} />
      </div>
    </li>
  );
}

function Scores() {
  const scores = useLoad('scores', async (signal) => {
    const { data } = await searchRecords<Instance>('/instance', { size: 5 }, signal);
    return Promise.all(
      data.map(async ({ id, projectId, license, licenseStatus }) => ({
        id,
        projectId,
        license,
        licenseStatus,
        ...(await client.get('/instance/{id}/score', { path: { id }, signal })),
      })),
    );
  });
  if (!scores.data || scores.data.length === 0) return null;
  return (
    <section class="card" aria-labelledby="scores">
      <header>
        <h2 id="scores">Scores</h2>
        <a href={href('/scores')}>All</a>
      </header>
      <ul class="list">
        {scores.data.map(({ id, projectId, license, licenseStatus, data, fault }) => (
          <li key={id} class="stack">
            <span class="row apart">
              <a class="foreign" href={href(`/scores?instance=${id}`)}>
                {nameOf('project', projectId) ?? `project #${projectId}`}
              </a>
              <span class="dim small foreign">{license?.name}</span>
            </span>
            {fault && <span class="bad small foreign">{fault.message}</span>}
            {licenseStatus !== 'LICENCED' && (
              <span class="small warn">It counts nothing: the license is not granted yet.</span>
            )}
            {(licenseStatus === 'LICENCED' ? data : []).map(({ scoreGroup, title, score, max }) => (
              <span class="row apart" key={scoreGroup}>
                <span class="foreign">{title ?? scoreGroup}</span>
                <span>
                  {Math.round(score * 10) / 10}
                  {max !== null && <span class="dim"> of {max}</span>}
                </span>
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

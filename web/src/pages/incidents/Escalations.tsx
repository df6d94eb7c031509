import { useState } from 'preact/hooks';
import type { Incident } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { RecordSelect } from '../../parts/RecordSelect.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';

type Called = Pick<Incident, 'uid' | 'status' | 'acknowledged' | 'tenantId'>;

const words = { CALLED: 'called', NOBODY: 'reached no one', FAILED: 'failed' } as const;

/** Who was called about an incident, step by step, and the button that calls people. */
export function Escalations({ incident }: { incident: Called }) {
  const { uid, status, acknowledged, tenantId } = incident;
  const [escalationChainId, setChainId] = useState<number>();
  const { data, error, reload } = useLoad(
    `escalations ${uid}`,
    (signal) => client.get('/incident/{uid}/escalation', { path: { uid }, signal }),
    { every: 5000 },
  );
  const mayCall = can('POST /incident/{uid}/escalate') && status === 'UNRESOLVED' && !acknowledged;
  const call = async () => {
    const body = { escalationChainId: escalationChainId ?? 0 };
    if (
      await attempt(
        () => client.post('/incident/{uid}/escalate', { path: { uid }, body }),
        'People are called.',
      )
    )
      reload();
  };
  if (!mayCall && !data?.escalations.length) return <Problem error={error} />;
  return (
    <section class="card" aria-labelledby="escalations">
      <header>
        <h2 id="escalations">Who was called</h2>
      </header>
      <Problem error={error} />
      {mayCall && (
        <p class="row">
          <RecordSelect
            kind="escalationchain"
            label="Escalation chain"
            value={escalationChainId}
            onChange={setChainId}
            where={`tenantId = ${tenantId}`}
          />
          <button type="button" disabled={escalationChainId === undefined} onClick={call}>
            Call people
          </button>
        </p>
      )}
      {data?.escalations.map(({ id, chainName, state, startedAt, startedBy, endedAt, nextAt, steps }) => (
        <div key={id} class="stack">
          <p class="row">
            <Badge value={state} />
            <strong class="foreign">{chainName}</strong>
            <span class="dim">
              started by <span class="foreign">{startedBy}</span> <Time at={startedAt} />
              {endedAt !== null && (
                <>
                  , ended <Time at={endedAt} />
                </>
              )}
              {nextAt !== null && (
                <>
                  , next step <Time at={nextAt} />
                </>
              )}
            </span>
          </p>
          <ol class="timeline">
            {steps.map(({ number, at, name, outcome, detail, deliveries }) => (
              <li key={number}>
                <span class="dim small">
                  <Time at={at} exact />
                </span>
                <div>
                  <span class="row">
                    <span class="foreign">{name.slice(0, 200)}</span>
                    <span class={outcome === 'CALLED' ? 'dim' : 'bad'}>{words[outcome]}</span>
                    {deliveries.map((delivery) => (
                      <Badge key={delivery.uid} value={delivery.state} />
                    ))}
                  </span>
                  {detail && <p class="small dim foreign">{detail}</p>}
                </div>
              </li>
            ))}
          </ol>
        </div>
      ))}
    </section>
  );
}

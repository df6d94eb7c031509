import { useState } from 'preact/hooks';
import { Confirm } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Time } from '../parts/Time.tsx';
import { client } from '../state/api.ts';
import { can, mayChooseTenant, tenantId } from '../state/session.ts';
import { toast } from '../state/toasts.ts';
import { useLoad } from '../state/useLoad.ts';

/** The red button: halts every action of the tenant in two steps, and says so while it lasts. */
export function HaltButton() {
  const tenant = tenantId.value;
  const [isAsking, setAsking] = useState(false);
  const isOffered = tenant !== undefined && can('GET /action/halt');
  const own = mayChooseTenant.value && tenant !== undefined ? { tenantId: tenant } : {};
  const { data, reload } = useLoad(
    isOffered ? `halt ${tenant}` : null,
    (signal) => client.get('/action/halt', { query: own, signal }),
    { every: 15_000, later: true },
  );
  if (!isOffered || !data) return null;
  const mayChange = can(data.halted ? 'POST /action/resume' : 'POST /action/halt');
  if (!mayChange && !data.halted) return null;
  const change = async () => {
    if (data.halted) await client.post('/action/resume', { body: own });
    else await client.post('/action/halt', { body: own });
    toast(data.halted ? 'Actions run again.' : 'All actions are halted.');
    reload();
  };
  return (
    <>
      <button
        type="button"
        class={`halt ${data.halted ? 'danger solid' : 'danger'}`}
        disabled={!mayChange}
        onClick={() => setAsking(true)}
      >
        <Icon name="halt" />
        <span>{data.halted ? 'Actions halted' : 'Halt actions'}</span>
      </button>
      {isAsking && (
        <Confirm
          title={data.halted ? 'Let actions run again?' : 'Halt all actions?'}
          action={data.halted ? 'Resume actions' : 'Halt all actions'}
          onConfirm={change}
          onClose={() => setAsking(false)}
        >
          {data.halted ? (
            <p>
              Actions of this tenant have been halted since <Time at={data.haltedAt} exact />. Alerts from now
              on fire them again; what was cancelled stays cancelled.
            </p>
          ) : (
            <>
              <p>
                Nothing of this tenant is signed from now on, and every call that waits is cancelled. What was
                signed before may still be mined.
              </p>
              <UnderWay tenant={own} />
            </>
          )}
        </Confirm>
      )}
    </>
  );
}

/** The calls that are in flight, so that one knows what is stopped. */
function UnderWay({ tenant }: { tenant: { tenantId?: number } }) {
  const { data } = useLoad(
    can('GET /fault') ? 'under way' : null,
    (signal) =>
      client.get('/fault', { query: { ...tenant, kind: 'action', state: 'UNDER_WAY', size: 20 }, signal }),
    { every: 3000 },
  );
  if (!data) return null;
  if (data.total === 0) return <p class="dim">No call is under way.</p>;
  return (
    <>
      <h3>Under way</h3>
      <ul class="list">
        {data.data.map(({ id, name, reason, at }) => (
          <li key={id} class="row">
            <strong class="foreign">{name ?? `action #${id}`}</strong>
            <span class="foreign">{reason}</span>
            <span class="dim small">
              <Time at={at} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

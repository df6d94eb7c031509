import { useState } from 'preact/hooks';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { RecordSelect } from '../parts/RecordSelect.tsx';
import { Time } from '../parts/Time.tsx';
import { client } from '../state/api.ts';
import { nameOf } from '../state/names.ts';
import { can, mayChooseTenant, tenantId } from '../state/session.ts';
import { toast } from '../state/toasts.ts';
import { useLoad } from '../state/useLoad.ts';

/** The red button: halts every action of the tenant in two steps, and says so while it lasts. */
export function HaltButton() {
  const looksAtAll = mayChooseTenant.value && tenantId.value === undefined;
  /** Who looks at all tenants says which one is meant. */
  const [chosen, setChosen] = useState<number>();
  const tenant = tenantId.value ?? chosen;
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const isOffered = tenant !== undefined && can('GET /action/halt');
  const own = mayChooseTenant.value && tenant !== undefined ? { tenantId: tenant } : {};
  const { data, reload } = useLoad(
    isOffered ? `halt ${tenant}` : null,
    (signal) => client.get('/action/halt', { query: own, signal }),
    { every: 15_000, later: true },
  );
  if (looksAtAll && chosen === undefined)
    return can('POST /action/halt') ? (
      <ChooseTenant
        onChoose={(id) => {
          setChosen(id);
          setAsking(true);
        }}
      />
    ) : null;
  if (!isOffered || !data) return null;
  const mayChange = can(data.halted ? 'POST /action/resume' : 'POST /action/halt');
  if (!mayChange && !data.halted) return null;
  const change = async () => {
    const body = { ...own, ...(reason.trim() ? { reason: reason.trim() } : {}) };
    if (data.halted) await client.post('/action/resume', { body });
    else await client.post('/action/halt', { body });
    setReason('');
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
          onClose={() => {
            setAsking(false);
            setChosen(undefined);
          }}
        >
          {looksAtAll && (
            <p>
              Tenant: <strong class="foreign">{nameOf('tenant', tenant) ?? `#${tenant}`}</strong>
            </p>
          )}
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
          <label class="field">
            <span class="label">Reason</span>
            <input
              type="text"
              maxLength={500}
              value={reason}
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
            <span class="hint">Kept in the audit log. It may stay empty.</span>
          </label>
        </Confirm>
      )}
    </>
  );
}

/** Whose actions, where someone looks at all tenants at once. */
function ChooseTenant({ onChoose }: { onChoose(id: number): void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="halt danger" onClick={() => setOpen(true)}>
        <Icon name="halt" />
        <span>Halt actions</span>
      </button>
      {isOpen && (
        <Dialog title="Halt the actions of which tenant?" onClose={() => setOpen(false)}>
          <p>You look at all tenants. Each is halted on its own; the next step asks again.</p>
          <RecordSelect
            kind="tenant"
            label="Tenant to halt"
            value={undefined}
            onChange={(id) => id !== undefined && onChoose(id)}
          />
        </Dialog>
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

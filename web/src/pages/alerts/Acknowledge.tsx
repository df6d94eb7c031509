import type { Alert, Incident } from '../../../../sdk/src/index.ts';
import { Icon } from '../../parts/Icon.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { showTime } from '../../state/format.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';

type Acknowledged = Pick<Alert, 'acknowledged' | 'acknowledgedAt' | 'acknowledgedBy' | 'acknowledgedUntil'>;

const hours = [1, 4, 24];

/** Shows the person who looks at an alert, or the button to begin. */
export function AcknowledgeAlert({ alert, onChange }: { alert: Alert; onChange(alert: Alert): void }) {
  const path = { uid: alert.uid };
  return (
    <Acknowledge
      record={alert}
      isAllowed={can('POST /alert/{uid}/acknowledge') && alert.status === 'UNRESOLVED'}
      post={async (body) => onChange(await client.post('/alert/{uid}/acknowledge', { path, body }))}
      remove={async () => onChange(await client.delete('/alert/{uid}/acknowledge', { path }))}
    />
  );
}

/** The same for an incident with all its alerts. */
export function AcknowledgeIncident({
  incident,
  reload,
}: {
  incident: Omit<Incident, 'alertList'>;
  reload(): void;
}) {
  const path = { uid: incident.uid };
  return (
    <Acknowledge
      record={incident}
      isAllowed={can('POST /incident/{uid}/acknowledge') && incident.status === 'UNRESOLVED'}
      post={async (body) => {
        await client.post('/incident/{uid}/acknowledge', { path, body });
        reload();
      }}
      remove={async () => {
        await client.delete('/incident/{uid}/acknowledge', { path });
        reload();
      }}
    />
  );
}

type Props = {
  record: Acknowledged;
  isAllowed: boolean;
  post(body: { until?: number }): Promise<void>;
  remove(): Promise<void>;
};

function Acknowledge({ record, isAllowed, post, remove }: Props) {
  const { acknowledged, acknowledgedAt, acknowledgedBy, acknowledgedUntil } = record;
  if (acknowledged)
    return (
      <p class="row">
        <span class="dim">
          Acknowledged by <span class="foreign">{acknowledgedBy}</span> <Time at={acknowledgedAt} />
          {acknowledgedUntil !== null && `, until ${showTime(acknowledgedUntil)}`}
        </span>
        {isAllowed && (
          <button type="button" onClick={() => attempt(remove, 'No longer acknowledged.')}>
            Take it back
          </button>
        )}
      </p>
    );
  if (!isAllowed) return null;
  return (
    <p class="row">
      <button type="button" onClick={() => attempt(() => post({}), 'Acknowledged.')}>
        <Icon name="check" />
        Acknowledge
      </button>
      {hours.map((hour) => (
        <button
          type="button"
          key={hour}
          onClick={() => attempt(() => post({ until: Date.now() + hour * 3_600_000 }), 'Snoozed.')}
        >
          Snooze {hour} h
        </button>
      ))}
    </p>
  );
}

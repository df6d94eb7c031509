import { useState } from 'preact/hooks';
import type { Incident } from '../../../../sdk/src/index.ts';
import { client } from '../../state/api.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { Assignee } from '../alerts/Assignee.tsx';

const titles = {
  TRUE: 'An attack or a real fault',
  BENIGN: 'Harmless',
  KNOWN: 'Expected',
  TEST: 'A test',
} as const;

type Disposition = keyof typeof titles;

/** Who owns an incident, and what it turned out to be. */
export function Judgement({ incident, reload }: { incident: Omit<Incident, 'alertList'>; reload(): void }) {
  const { uid, disposition, dispositionReason, status } = incident;
  const [reason, setReason] = useState(dispositionReason ?? '');
  const change = async (
    body: { disposition?: Disposition | null; dispositionReason?: string; assigneeId?: number | null },
    said: string,
  ) => {
    if (await attempt(() => client.put('/incident/{uid}', { path: { uid }, body }), said)) reload();
  };
  if (!can('PUT /incident/{uid}') || status === 'RETRACTED')
    return disposition ? (
      <p>
        {titles[disposition]}
        {dispositionReason && <span class="foreign">: {dispositionReason}</span>}
      </p>
    ) : null;
  return (
    <div class="row">
      <label class="row tight still">
        <span class="dim">It was</span>
        <select
          value={disposition ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const next = value === '' ? null : (value as Disposition);
            const text = reason.trim();
            const body = next && text ? { dispositionReason: text } : {};
            void change({ disposition: next, ...body }, 'Noted.');
          }}
        >
          <option value="">not judged yet</option>
          {Object.entries(titles).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <input
        aria-label="Reason"
        placeholder="Reason"
        maxLength={2000}
        value={reason}
        onInput={({ currentTarget }) => setReason(currentTarget.value)}
        onBlur={() => {
          const text = reason.trim();
          if (disposition && text !== (dispositionReason ?? ''))
            void change({ dispositionReason: text }, 'Noted.');
        }}
      />
      <span class="grow" />
      <Assignee
        alert={incident}
        onAssign={(assigneeId) =>
          change({ assigneeId }, assigneeId === null ? 'Assigned to no one.' : 'Assigned.')
        }
      />
    </div>
  );
}

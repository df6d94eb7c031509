import { useState } from 'preact/hooks';
import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { shortenHex } from '../../state/format.ts';
import { can } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

type Message = ReplyOf<'POST', '/destination/{id}/preview'>;

/** What would be sent here, for a real alert or an example. */
export function Preview({ id }: { id: number }) {
  const [isOpen, setOpen] = useState(false);
  if (!can('POST /destination/{id}/preview')) return null;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Preview a message</summary>
      {isOpen && <OpenPreview id={id} />}
    </details>
  );
}

function OpenPreview({ id }: { id: number }) {
  const [alertUid, setAlertUid] = useState('');
  const [template, setTemplate] = useState('');
  const alerts = useLoad('preview alerts', (signal) =>
    client.post('/alert/search', { body: { size: 20 }, signal }),
  ).data;
  const { data, error } = useLoad(`preview ${id} ${alertUid} ${template}`, (signal) =>
    client.post('/destination/{id}/preview', {
      path: { id },
      body: { ...(alertUid ? { alertUid } : {}), ...(template ? { template } : {}) },
      signal,
    }),
  );
  return (
    <div class="stack">
      <label class="field">
        <span class="label">Alert</span>
        <select value={alertUid} onChange={({ currentTarget }) => setAlertUid(currentTarget.value)}>
          <option value="">An example</option>
          {alerts?.data.map(({ uid, name, message }) => (
            <option key={uid} value={uid}>
              {`${name}: ${shortenHex(message)}`.slice(0, 120)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span class="label">Another message</span>
        <input
          value={template}
          placeholder="{severity}: {message}"
          onChange={({ currentTarget }) => setTemplate(currentTarget.value.trim())}
        />
        <span class="hint">
          Tries a text in place of the alert’s own; {'{member}'} stands for a member of the alert.
        </span>
      </label>
      <Problem error={error} />
      {data && <Shown message={data} />}
    </div>
  );
}

function Shown({ message }: { message: Message }) {
  const { to, subject, text, method, uri, headers, body } = message;
  return (
    <div class="notice stack foreign">
      {to && <p class="dim small">To {to}</p>}
      {subject && <strong>{subject}</strong>}
      {uri && (
        <code>
          {method} {uri}
        </code>
      )}
      {headers && (
        <pre class="small dim">
          {Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        </pre>
      )}
      {(text ?? body) && <pre class="small">{pretty(text ?? body ?? '')}</pre>}
    </div>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

import { useState } from 'preact/hooks';
import type { Alert } from '../../../../sdk/src/index.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { toast } from '../../state/toasts.ts';
import { SilencePreview } from './SilencePreview.tsx';

const hourMs = 3_600_000;
const durations = [
  ['1 hour', hourMs],
  ['4 hours', 4 * hourMs],
  ['1 day', 24 * hourMs],
  ['7 days', 7 * 24 * hourMs],
  ['30 days', 30 * 24 * hourMs],
] as const;

/** Silences alerts like this one; the query begins with what raised it, and the preview says what else it hides. */
export function SilenceAlert({ alert, onClose }: { alert: Alert; onClose(): void }) {
  const choices = queriesFor(alert);
  const [query, setQuery] = useState(choices[0]?.query ?? '');
  const [lengthMs, setLength] = useState<number>(hourMs);
  const [reason, setReason] = useState('');
  const [includeCritical, setIncluded] = useState(alert.severity === 'CRITICAL');
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setState({ isBusy: true });
    const { tenantId } = alert;
    const to = Date.now() + lengthMs;
    try {
      await client.post('/silence', { body: { tenantId, query, to, reason, includeCritical } });
      toast('Silenced.');
      onClose();
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <Dialog title="Silence alerts like this" onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <p class="dim">
          No one is notified of them. They are stored, found, streamed and scored as ever, and fire their
          actions.
        </p>
        <label class="field">
          <span class="label">Alerts</span>
          <select
            aria-label="Alerts"
            value={choices.some((choice) => choice.query === query) ? query : ''}
            onChange={({ currentTarget }) => setQuery(currentTarget.value)}
          >
            {choices.map((choice) => (
              <option key={choice.query} value={choice.query}>
                {choice.title}
              </option>
            ))}
            {!choices.some((choice) => choice.query === query) && <option value="">By a query</option>}
          </select>
        </label>
        <label class="field">
          <span class="label">Query</span>
          <input
            class="mono"
            value={query}
            autocomplete="off"
            onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          />
        </label>
        <label class="field">
          <span class="label">For</span>
          <select
            value={String(lengthMs)}
            onChange={({ currentTarget }) => setLength(Number(currentTarget.value))}
          >
            {durations.map(([title, ms]) => (
              <option key={ms} value={String(ms)}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span class="label">
            Reason<span class="dim"> (required)</span>
          </span>
          <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={includeCritical}
            onChange={({ currentTarget }) => setIncluded(currentTarget.checked)}
          />
          <span class="label">CRITICAL alerts too</span>
        </label>
        <SilencePreview draft={{ query, includeCritical, tenantId: alert.tenantId }} />
        <Problem error={state.error} />
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={state.isBusy || reason.trim() === ''}>
            Silence
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** From what raised the alert to everything of its contract, the narrowest first. */
function queriesFor(alert: Alert): { title: string; query: string }[] {
  const { detectorId, triggerId, actionId, contractId, detectorSchemaName } = alert;
  const ofContract = `contractId:${contractId}`;
  const choices: { title: string; query: string }[] = [];
  const add = (title: string, query: string) => choices.push({ title, query });
  if (detectorId !== null) add('Of this detector', `detectorId:${detectorId} AND ${ofContract}`);
  if (triggerId !== null) add('Of this trigger', `triggerId:${triggerId} AND ${ofContract}`);
  if (actionId !== null) add('Of this action', `actionId:${actionId} AND ${ofContract}`);
  if (detectorSchemaName !== null)
    add('Of this kind, on every contract', `detectorSchemaName:${detectorSchemaName}`);
  add('Everything of this contract', ofContract);
  return choices;
}

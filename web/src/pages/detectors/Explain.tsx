import { useState } from 'preact/hooks';
import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { client } from '../../state/api.ts';
import { toLabel } from '../../state/format.ts';
import { can } from '../../state/session.ts';
import './detectors.css';

type Answer = ReplyOf<'POST', '/detector/{id}/explain'>;
const tones = { ALERT: 'accent', NO_ALERT: 'dim', FAULT: 'bad' } as const;
const words = { ALERT: 'raises an alert', NO_ALERT: 'raises nothing', FAULT: 'fails' };

/** Why the detector raised an alert for one transaction, or why not. */
export function Explain({ detectorId }: { detectorId: number }) {
  const [state, setState] = useState<{ isBusy?: boolean; answer?: Answer; error?: unknown }>({});
  if (!can('POST /detector/{id}/explain')) return null;
  const explain = async (event: SubmitEvent) => {
    event.preventDefault();
    const txHash = String(new FormData(event.currentTarget as HTMLFormElement).get('tx')).trim();
    setState({ isBusy: true });
    try {
      const answer = await client.post('/detector/{id}/explain', {
        path: { id: detectorId },
        body: { txHash },
      });
      setState({ answer });
    } catch (error) {
      setState({ error });
    }
  };
  const { answer } = state;
  return (
    <section class="card stack">
      <header>
        <h2>Explain a transaction</h2>
      </header>
      <form class="row still" onSubmit={explain}>
        <input
          class="mono"
          name="tx"
          aria-label="Hash of the transaction"
          placeholder="0x… hash of a transaction"
          autocomplete="off"
          required
        />
        <button type="submit" disabled={state.isBusy}>
          Explain
        </button>
      </form>
      <Problem error={state.error} />
      {answer && (
        <div class="stack" role="status">
          <p>
            <Badge tone={tones[answer.verdict]}>{answer.verdict}</Badge> The detector {words[answer.verdict]}.
          </p>
          <ol class="steps">
            {answer.steps.map(({ step, text }, index) => (
              <li key={`${step} ${index}`}>
                <strong>{toLabel(step)}</strong>
                <p class="foreign">{text}</p>
              </li>
            ))}
          </ol>
          {answer.alerts.map(({ severity, message }) => (
            <p key={message} class="foreign">
              <Severity value={severity} /> {message}
            </p>
          ))}
        </div>
      )}
    </section>
  );
}

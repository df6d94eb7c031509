import { useState } from 'preact/hooks';
import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Amount } from '../../parts/Amount.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { chainOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';
import './intents.css';

type Intent = ReplyOf<'GET', '/action/{id}/intent'>['data'][number];

/** Everything that an action has fired, each as a line of steps. */
export function Intents({ actionId, chainUid }: { actionId: number; chainUid: string | undefined }) {
  const [size, setSize] = useState(5);
  const { data, error } = useLoad(
    can('GET /action/{id}/intent') ? `intents ${actionId} ${size}` : null,
    (signal) => client.get('/action/{id}/intent', { path: { id: actionId }, query: { size }, signal }),
    { every: 3000 },
  );
  return (
    <section class="stack">
      <h3>Fired so far</h3>
      <Problem error={error} />
      {data?.data.length === 0 && (
        <p class="dim">Nothing yet. An alert of a bound detector or trigger fires it.</p>
      )}
      <ul class="list">
        {data?.data.map((intent) => (
          <li key={intent.uid} class="stack">
            <Line intent={intent} />
            <Facts intent={intent} chainUid={chainUid} />
          </li>
        ))}
      </ul>
      {data?.data.length === size && size < 100 && (
        <p>
          <button type="button" class="link" onClick={() => setSize(100)}>
            Show more
          </button>
        </p>
      )}
    </section>
  );
}

const path = ['WAITING', 'SIGNED', 'SUBMITTED', 'CONFIRMED'] as const;

/** Which steps lie behind: those that left a trace, whatever the end was. */
function Line({ intent }: { intent: Intent }) {
  const { state, call, transactions } = intent;
  const isOver = state === 'FAILED' || state === 'SKIPPED' || state === 'CANCELED';
  const wasSent = transactions.some(({ broadcastAt }) => broadcastAt !== null);
  const reached = isOver ? (wasSent ? 2 : call ? 1 : 0) : path.indexOf(state);
  const steps = isOver ? [...path.slice(0, reached + 1), state] : path;
  return (
    <ol class="life" aria-label={`State: ${state.toLowerCase()}`}>
      {steps.map((step, index) => {
        const isEnd = isOver && index === steps.length - 1;
        const tone = isEnd
          ? 'ended'
          : index < reached || state === 'CONFIRMED'
            ? 'passed'
            : index === reached
              ? 'present'
              : '';
        return (
          <li key={step} class={isOver && !isEnd ? 'passed' : tone}>
            {step.toLowerCase()}
          </li>
        );
      })}
    </ol>
  );
}

function Facts({ intent, chainUid }: { intent: Intent; chainUid: string | undefined }) {
  const { createdAt, updatedAt, reason, binding, alertUid, txHash, minedBlock, cost, nonce, transactions } =
    intent;
  const { decimals = 18, symbol = '' } = chainOf(chainUid)?.currency ?? {};
  return (
    <div class="small">
      {reason && <p class="foreign">{reason}</p>}
      <p class="row dim">
        <span>
          <Time at={createdAt} exact />, took {((updatedAt - createdAt) / 1000).toFixed(1)} s
        </span>
        {alertUid ? <a href={href(`/alert/${alertUid}`)}>by an alert</a> : <span>{binding}</span>}
        {txHash && <Address value={txHash} chainUid={chainUid} kind="transaction" />}
        {minedBlock !== null && <span>block {minedBlock}</span>}
        {nonce !== null && <span>nonce {nonce}</span>}
        {transactions.length > 1 && <span>{transactions.length} transactions signed</span>}
        {cost !== '0' && <Amount value={cost} decimals={decimals} symbol={symbol} />}
      </p>
    </div>
  );
}

import { useEffect, useState } from 'preact/hooks';
import type { Action, ReplyOf } from '../../../../sdk/src/index.ts';
import { Amount } from '../../parts/Amount.tsx';
import { Badge } from '../../parts/Badge.tsx';
import { Confirm } from '../../parts/Dialog.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { shortenHex, showShortTime } from '../../state/format.ts';
import { chainOf, nameOf } from '../../state/names.ts';
import { can } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { Intents } from './Intents.tsx';
import { Rehearsal } from './Rehearsal.tsx';

type Simulated = ReplyOf<'POST', '/action/{id}/simulate'>;

/** Tries an action on a real alert, executes it by hand, and shows the life of everything it has fired. */
export function ActionDetail({
  action,
  onOpen,
}: {
  action: Action;
  onOpen(value: Record<string, unknown>): void;
}) {
  const { id } = action;
  const [alertUid, setAlertUid] = useState('');
  const [simulated, setSimulated] = useState<Simulated>();
  const [error, setError] = useState<unknown>();
  const [isExecuting, setExecuting] = useState(false);
  useEffect(() => onOpen({ ...action }), [id]);
  const wallet = useLoad(can('GET /wallet/{id}') ? `wallet ${action.walletId}` : null, (signal) =>
    client.get('/wallet/{id}', { path: { id: action.walletId }, signal }),
  ).data;
  const chain = chainOf(wallet?.chainUid);
  const alerts = useLoad('simulate alerts', (signal) =>
    client.post('/alert/search', { body: { size: 20, query: 'kind:(detector OR trigger)' }, signal }),
  ).data;
  const simulate = async () => {
    setError(undefined);
    try {
      setSimulated(
        await client.post('/action/{id}/simulate', { path: { id }, body: alertUid ? { alertUid } : {} }),
      );
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <>
      {can('POST /action/{id}/simulate') && (
        <section class="stack">
          <h3>Simulate</h3>
          <div class="row still">
            <select
              class="grow"
              aria-label="Alert to simulate with"
              value={alertUid}
              onChange={({ currentTarget }) => setAlertUid(currentTarget.value)}
            >
              <option value="">Without an alert</option>
              {alerts?.data.map(({ uid, severity, message, timestamp, contractId }) => (
                <option key={uid} value={uid}>
                  {[
                    showShortTime(timestamp),
                    severity,
                    nameOf('contract', contractId) ?? `#${contractId}`,
                    shortenHex(message),
                  ]
                    .join(' · ')
                    .slice(0, 140)}
                </option>
              ))}
            </select>
            <button type="button" onClick={simulate}>
              Simulate
            </button>
            {can('POST /action/{id}/execute') && (
              <button type="button" class="danger" onClick={() => setExecuting(true)}>
                Execute now
              </button>
            )}
          </div>
          <Problem error={error} />
          {simulated && <Outcome outcome={simulated} chain={chain} />}
        </section>
      )}
      {can('POST /action/{id}/rehearse') && <Rehearsal id={id} chain={chain} />}
      <Intents actionId={id} chainUid={wallet?.chainUid} />
      <h3>Settings</h3>
      {isExecuting && (
        <Confirm
          title="Execute this action now?"
          action="Sign and send"
          onClose={() => setExecuting(false)}
          onConfirm={async () => {
            await client.post('/action/{id}/execute', { path: { id }, body: {} });
            toast('The call is under way.');
          }}
        >
          <p class="foreign">
            The wallet signs <code>{action.funcSignature}</code> with the values of the action and sends it.
            This cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}

function Outcome({ outcome, chain }: { outcome: Simulated; chain: ReturnType<typeof chainOf> }) {
  const { fires, success, reason, parameters, gasLimit, maxCost, balance } = outcome;
  const { decimals = 18, symbol = '' } = chain?.currency ?? {};
  return (
    <div class="notice stack" role="status">
      <p class="row">
        <Badge tone={fires ? 'good' : 'warn'}>{fires ? 'fires' : 'does not fire'}</Badge>
        <Badge tone={success ? 'good' : 'bad'}>{success ? 'would succeed' : 'would fail'}</Badge>
        {reason && <span class="foreign">{reason}</span>}
      </p>
      {parameters.map(({ name, type, value }) => (
        <p class="foreign small" key={name}>
          <code>{name}</code> <span class="dim">{type}</span> {value}
        </p>
      ))}
      <p class="dim small">
        {gasLimit && `Gas ${gasLimit}. `}
        {maxCost && (
          <>
            Costs at most <Amount value={maxCost} decimals={decimals} symbol={symbol} />.{' '}
          </>
        )}
        {balance && (
          <>
            The wallet has <Amount value={balance} decimals={decimals} symbol={symbol} />.
          </>
        )}
      </p>
    </div>
  );
}

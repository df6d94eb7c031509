import { useState } from 'preact/hooks';
import type { Destination, ReplyOf } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Confirm } from '../../parts/Dialog.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { Bindings } from './Bindings.tsx';
import { Deliveries } from './Deliveries.tsx';
import type { DestinationKind } from './kinds.ts';
import { Preview } from './Preview.tsx';

type Tested = ReplyOf<'POST', '/destination/{id}/test'>;
type Props = { destination: Destination; kinds: readonly DestinationKind[]; reload(): void };

/** How a destination fares, what can be tried with it, what was sent there and what is bound to it. */
export function DestinationDetail({ destination, kinds, reload }: Props) {
  const { id, uid, messengerAChatId } = destination;
  // Rows of a list leave out what kind it is and whether its address is confirmed.
  const whole = useLoad(`destination ${id} ${destination.updatedAt}`, (signal) =>
    client.get('/destination/{id}', { path: { id }, signal }),
  ).data;
  const { type, confirmed } = whole ?? { type: undefined, confirmed: undefined };
  const kind = kinds.find((one) => one.type === type);
  const [tested, setTested] = useState<Tested>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [isRenewing, setRenewing] = useState(false);
  const deliveries = useLoad(
    can('GET /destination/{id}/delivery') ? `deliveries ${id}` : null,
    (signal) => client.get('/destination/{id}/delivery', { path: { id }, query: { size: 20 }, signal }),
    { every: 5000 },
  );
  const test = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setTested(await client.post('/destination/{id}/test', { path: { id } }));
    } catch (reason) {
      setError(reason);
    }
    setBusy(false);
    deliveries.reload();
  };
  const state = deliveries.data;
  return (
    <>
      {state?.status === 'DISABLED' && (
        <p class="notice bad foreign" role="alert">
          Nothing is sent here any more: {state.disabledReason} A test message that gets through switches it
          on again.
        </p>
      )}
      {state?.failingSince && state.status === 'ACTIVE' && (
        <p class="notice warn">
          Nothing has got through since <Time at={state.failingSince} exact />.
        </p>
      )}
      {kind?.isBoundByChat && !messengerAChatId && (
        <p class="notice">
          Send this line to the bot in the chat: <code class="foreign">/bind {uid}</code>{' '}
          <CopyButton text={`/bind ${uid}`} />
        </p>
      )}
      <div class="row">
        {can('POST /destination/{id}/test') && (
          <button type="button" class="primary" disabled={isBusy} onClick={test}>
            Send a test message
          </button>
        )}
        {confirmed === false && can('POST /destination/{id}/confirm') && (
          <button
            type="button"
            onClick={async () => {
              const ok = await attempt(
                () => client.post('/destination/{id}/confirm', { path: { id } }),
                'Another link is on its way.',
              );
              if (ok) reload();
            }}
          >
            Mail the link again
          </button>
        )}
        {kind?.isSigned && can('POST /destination/{id}/secret') && (
          <button type="button" onClick={() => setRenewing(true)}>
            New secret
          </button>
        )}
      </div>
      {confirmed === false && (
        <p class="notice warn">The address is not confirmed yet: only the link is sent there.</p>
      )}
      <Problem error={error} />
      {tested && (
        <p class={`notice ${tested.delivered ? '' : 'bad'}`} role="status">
          <Badge tone={tested.delivered ? 'good' : 'bad'}>{tested.delivered ? 'Delivered' : 'Failed'}</Badge>{' '}
          in {tested.durationMs} ms{tested.status === null ? '' : `, status ${tested.status}`}
          {tested.error && <span class="foreign">: {tested.error}</span>}
        </p>
      )}
      {secret && (
        <div class="notice" role="status">
          <p>Keep this secret now: it is not shown again. The old one signs as well for a day.</p>
          <p class="row still">
            <code class="foreign">{secret}</code>
            <CopyButton text={secret} />
          </p>
        </div>
      )}
      <Preview id={id} />
      <Deliveries deliveries={state?.data} reload={deliveries.reload} />
      <Bindings id={id} />
      <h3>Settings</h3>
      {isRenewing && (
        <Confirm
          title="Make a new secret?"
          action="Make a new secret"
          onClose={() => setRenewing(false)}
          onConfirm={async () =>
            setSecret((await client.post('/destination/{id}/secret', { path: { id } })).secret)
          }
        >
          <p>Receivers must know the new secret within a day; until then both sign.</p>
        </Confirm>
      )}
    </>
  );
}

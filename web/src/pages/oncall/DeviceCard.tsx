import { useState } from 'preact/hooks';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { askToNotify, canNotify, isNotifying, setNotifying } from '../../state/notify.ts';
import { can, me, tenantId } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { canPush, deviceName, subscribeDevice } from './subscribeDevice.ts';
import { usePeople } from './usePeople.ts';

/** Notifications on the device that is looked at: while the console is open, and by push at any time. */
export function DeviceCard() {
  const { people, reload } = usePeople();
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown; note?: string }>({ isBusy: false });
  const own = people.find(({ userId }) => userId === me.value?.userId);
  const refused =
    'The browser refused. Allow notifications for this address in its settings, and press again.';

  const push = async () => {
    setState({ isBusy: true });
    try {
      if (!(await askToNotify())) return setState({ isBusy: false, note: refused });
      const tenant = me.value?.tenantId ?? tenantId.value;
      const settings = await subscribeDevice();
      const made = await client.post('/destination', {
        body: {
          type: 'WEB_PUSH',
          name: deviceName(),
          settings,
          ...(tenant === undefined || tenant === null ? {} : { tenantId: tenant }),
        },
      });
      // A person who can be called is called here too from now on.
      if (own && can('PUT /contact'))
        await client.put('/contact', { body: { destinationIds: [...own.destinationIds, made.id] } });
      await client.post('/destination/{id}/test', { path: { id: made.id } });
      setState({ isBusy: false });
      reload();
      toast('This device is notified from now on. A test message is on its way.');
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  const toggle = async () => {
    if (isNotifying.value) return setNotifying(false);
    if (await askToNotify()) setNotifying(true);
    else setState({ isBusy: false, note: refused });
  };
  return (
    <section class="card stack" aria-labelledby="device">
      <header>
        <h2 id="device">This device</h2>
      </header>
      {!canNotify && (
        <p class="dim">
          Browsers show notifications of pages with HTTPS alone. Open the console by its https address.
        </p>
      )}
      {canNotify && can('POST /destination') && (
        <>
          <p class="dim">
            Calls reach this device also while the console is closed. The push service of the browser carries
            them, and cannot read them.
            {!canPush && ' On an iPhone or iPad add the console to the home screen first, and open it there.'}
          </p>
          <p>
            <button type="button" class="primary" disabled={!canPush || state.isBusy} onClick={push}>
              Notify this device
            </button>
          </p>
        </>
      )}
      {canNotify && can('GET /alert/stream') && (
        <label class="check">
          <input type="checkbox" checked={isNotifying.value} onChange={() => void toggle()} />
          <span>Show HIGH and CRITICAL alerts while the console is open in the background</span>
        </label>
      )}
      {state.note && (
        <p class="notice warn" role="status">
          {state.note}
        </p>
      )}
      <Problem error={state.error} />
    </section>
  );
}

import type { Action, Alert } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Badge } from '../../parts/Badge.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client, searchRecords } from '../../state/api.ts';
import { href } from '../../state/route.ts';
import { useLoad } from '../../state/useLoad.ts';
import { Part } from './AlertView.tsx';

/** Who was notified of an alert, and which actions it fired. */
export function AlertOutcome({ alert }: { alert: Alert }) {
  const outcome = useLoad(`${alert.uid} ${alert.status}`, (signal) => readOutcome(alert, signal), {
    every: 10_000,
  });
  return (
    <Part title="Notified and fired">
      <Problem error={outcome.error} />
      {!outcome.data && outcome.isLoading && <Loading lines={2} />}
      {outcome.data && outcome.data.deliveries.length === 0 && outcome.data.intents.length === 0 && (
        <p class="dim">No one was notified, and no action was fired.</p>
      )}
      <ul class="list">
        {outcome.data?.deliveries.map(
          ({ uid, name, destinationId, state, type, deliveredAt, createdAt, lastError }) => (
            <li key={uid} class="row">
              <Badge value={state} />
              <a class="foreign" href={href(`/destinations?destination=${destinationId}`)}>
                {name}
              </a>
              <span class="dim">{type}</span>
              <Time at={deliveredAt ?? createdAt} />
              {lastError && state !== 'DELIVERED' && <span class="bad foreign">{lastError}</span>}
            </li>
          ),
        )}
        {outcome.data?.intents.map(({ uid, name, actionId, state, reason, txHash, updatedAt, chainUid }) => (
          <li key={uid} class="row">
            <Badge value={state} />
            <a class="foreign" href={href(`/actions?action=${actionId}`)}>
              {name}
            </a>
            {txHash && <Address value={txHash} chainUid={chainUid} kind="transaction" />}
            <Time at={updatedAt} />
            {reason && <span class="dim foreign">{reason}</span>}
          </li>
        ))}
      </ul>
    </Part>
  );
}

const fewest = 20;

async function readOutcome(alert: Alert, signal: AbortSignal) {
  const [destinations, actions] = await Promise.all([
    searchRecords<{ id: number; value: string | null; uid: string; messengerAChatTitle: string | null }>(
      '/destination',
      { where: `tenantId = ${alert.tenantId}`, size: fewest },
      signal,
    ),
    searchRecords<Action>('/action', { where: `contractId = ${alert.contractId}`, size: fewest }, signal),
  ]);
  const deliveries = await Promise.all(
    destinations.data.map(async ({ id, value, messengerAChatTitle }) => {
      const { data } = await client.get('/destination/{id}/delivery', {
        path: { id },
        query: { size: 200 },
        signal,
      });
      const name = value ?? messengerAChatTitle ?? `destination #${id}`;
      return data.filter(({ alertUid }) => alertUid === alert.uid).map((delivery) => ({ ...delivery, name }));
    }),
  );
  const bound = actions.data.filter(
    ({ detectors, triggerAlerts }) => detectors.length + triggerAlerts.length > 0,
  );
  const intents = await Promise.all(
    bound.map(async ({ id, name }) => {
      const { data } = await client.get('/action/{id}/intent', {
        path: { id },
        query: { size: 200 },
        signal,
      });
      return data
        .filter(({ alertUid }) => alertUid === alert.uid)
        .map((intent) => ({ ...intent, name, chainUid: alert.chainUid }));
    }),
  );
  return { deliveries: deliveries.flat(), intents: intents.flat() };
}

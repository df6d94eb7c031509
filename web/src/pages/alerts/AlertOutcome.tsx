import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Badge } from '../../parts/Badge.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { href } from '../../state/route.ts';
import type { Loaded } from '../../state/useLoad.ts';
import { Part } from './Part.tsx';

export type Outcome = Loaded<ReplyOf<'GET', '/alert/{uid}/outcome'>>;

/** Who was notified of an alert or why no one was, and which actions it fired. */
export function AlertOutcome({ outcome }: { outcome: Outcome }) {
  const { deliveries = [], intents = [], silence } = outcome.data ?? {};
  return (
    <Part title="Notified and fired">
      <Problem error={outcome.error} />
      {!outcome.data && outcome.isLoading && <Loading lines={2} />}
      {silence && <p class="dim">No one was notified. {silence.reason}</p>}
      {silence && silence.silences.length > 0 && (
        <ul class="list">
          {silence.silences.map(({ id, reason, author, to }) => (
            <li key={id} class="row">
              <a class="foreign" href={href(`/silences?silence=${id}`)}>
                {reason.slice(0, 200)}
              </a>
              <span class="dim">
                by <span class="foreign">{author}</span>, until <Time at={to} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {outcome.data && intents.length === 0 && <p class="dim">No action was fired.</p>}
      <ul class="list">
        {deliveries.map((delivery) => (
          <li key={delivery.uid} class="row">
            <Badge value={delivery.state} />
            <a class="foreign" href={href(`/destinations?destination=${delivery.destinationId}`)}>
              {delivery.destinationName ?? `destination #${delivery.destinationId}`}
            </a>
            <span class="dim">{delivery.type}</span>
            <Time at={delivery.deliveredAt ?? delivery.createdAt} />
            {delivery.lastError && delivery.state !== 'DELIVERED' && (
              <span class="bad foreign">{delivery.lastError}</span>
            )}
          </li>
        ))}
        {intents.map(({ uid, actionName, actionId, state, reason, txHash, updatedAt, chainUid }) => (
          <li key={uid} class="row">
            <Badge value={state} />
            <a class="foreign" href={href(`/actions?action=${actionId}`)}>
              {actionName}
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

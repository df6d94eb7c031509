import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Badge } from '../../parts/Badge.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { showCount } from '../../state/format.ts';
import { href } from '../../state/route.ts';
import type { Loaded } from '../../state/useLoad.ts';
import { heldWords } from '../routes/heldWords.ts';
import { Part } from './Part.tsx';

export type Outcome = Loaded<ReplyOf<'GET', '/alert/{uid}/outcome'>>;

/** Who was notified of an alert or why no one was, and which actions it fired. */
export function AlertOutcome({ outcome }: { outcome: Outcome }) {
  const { deliveries = [], intents = [], silence, decision } = outcome.data ?? {};
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
      {decision && (decision.routes.length > 0 || decision.inhibitions.length > 0) && (
        <ul class="list" aria-label="Decided by">
          {decision.routes.map(({ id, name, held, destinationIds }) => (
            <li key={id} class="row">
              <span class="dim">Route</span>
              <a class="foreign" href={href(`/routes?route=${id}`)}>
                {name.slice(0, 200)}
              </a>
              <span class="dim">
                {held ? heldWords[held] : `to ${showCount(destinationIds.length)} destinations`}
              </span>
            </li>
          ))}
          {decision.inhibitions.map(({ id, name }) => (
            <li key={id} class="row">
              <span class="dim">Held by</span>
              <a class="foreign" href={href(`/routes?inhibition=${id}`)}>
                {name.slice(0, 200)}
              </a>
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

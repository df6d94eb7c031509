import type { Alert } from './api.ts';
import { backoffMs, wait } from './fetchWithRetries.ts';
import { readEvents } from './readEvents.ts';
import { VigilError } from './VigilError.ts';

export type AlertEvent = {
  /** Where the stream can be taken up again: `after`. */
  id: string;
  /** `changed` is for tags, the assignee, comments and alerts that are open again. */
  type: 'raised' | 'retracted' | 'resolved' | 'changed';
  alert: Alert;
};

export type FollowOptions = {
  /** Only alerts that match this query string. */
  query?: string;
  /** Takes up after this event, for up to seven days; from now on if left out. */
  after?: string;
  /** false ends the stream after the events that have happened so far. */
  live?: boolean;
  signal?: AbortSignal;
  /** Called when the stream connects, and when it breaks and is taken up again. */
  onState?(state: 'connected' | 'reconnecting'): void;
};

/** The server sends at least a comment every 15 seconds. */
const silenceMs = 45_000;

/**
 * Alerts as they happen. A broken connection is taken up after the last event, without a gap; a refusal that more tries
 * cannot change is thrown.
 */
export async function* followAlerts(
  open: (query: Record<string, string | undefined>, signal: AbortSignal) => Promise<Response>,
  { query, after, live = true, signal, onState = () => {} }: FollowOptions,
): AsyncGenerator<AlertEvent> {
  let position = after;
  for (let failures = 0; ; failures++) {
    const silence = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isConnected = false;
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
    };
    // The first piece has the id from which the stream goes on should it break before an event.
    const onChunk = () => {
      listen();
      if (!isConnected) onState('connected');
      isConnected = true;
    };
    try {
      const both = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
      const response = await open({ query, after: position, live: live ? undefined : 'false' }, both);
      listen();
      const onId = (id: string) => {
        position = id;
        failures = 0;
      };
      for await (const { id, type, data } of readEvents(response.body!, { onId, onChunk }))
        yield { id, type: type as AlertEvent['type'], alert: JSON.parse(data) };
      if (!live) return;
    } catch (error) {
      signal?.throwIfAborted();
      const isRefused = error instanceof VigilError && error.status >= 400 && error.status < 500;
      if (isRefused && error.status !== 429) throw error;
    } finally {
      clearTimeout(timer);
    }
    onState('reconnecting');
    await wait(backoffMs(failures), signal);
  }
}

import { useEffect, useState } from 'preact/hooks';
import type { Alert } from '../../../../sdk/src/index.ts';
import { client } from '../../state/api.ts';

/** More would only fill memory: older ones are found by a search. */
const kept = 1000;
const flushMs = 250;

export type Tail = {
  rows: readonly Alert[];
  state: 'off' | 'connecting' | 'connected' | 'reconnecting';
  error?: unknown;
};

/** Alerts as they happen, newest first. They are shown a few times a second, however many there are. */
export function useTail(query: string, isOn: boolean): Tail {
  const [tail, setTail] = useState<Tail>({ rows: [], state: 'off' });
  useEffect(() => {
    if (!isOn) {
      setTail({ rows: [], state: 'off' });
      return;
    }
    const controller = new AbortController();
    let waiting: Alert[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      const batch = waiting;
      waiting = [];
      setTail((before) => ({ ...before, rows: merge(before.rows, batch) }));
    };
    const follow = async () => {
      setTail({ rows: [], state: 'connecting' });
      const onState = (state: 'connected' | 'reconnecting') => setTail((before) => ({ ...before, state }));
      try {
        for await (const { alert } of client.follow({ query, signal: controller.signal, onState })) {
          waiting.push(alert);
          if (waiting.length > 2 * kept) waiting = waiting.slice(-kept);
          timer ??= setTimeout(flush, flushMs);
        }
      } catch (error) {
        if (!controller.signal.aborted) setTail((before) => ({ ...before, state: 'off', error }));
      }
    };
    void follow();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [query, isOn]);
  return tail;
}

/** The last word on each alert counts: a retraction replaces what was raised. */
function merge(rows: readonly Alert[], batch: readonly Alert[]): readonly Alert[] {
  const latest = new Map(batch.map((alert) => [alert.uid, alert]));
  const shown = rows.map((row) => {
    const changed = latest.get(row.uid);
    if (changed) latest.delete(row.uid);
    return changed ?? row;
  });
  return [...[...latest.values()].reverse(), ...shown].slice(0, kept);
}

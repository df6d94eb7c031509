import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { client } from './api.ts';
import { can } from './session.ts';
import { useLoad } from './useLoad.ts';

/** Of the alerts on screen, those of which no one was notified because of a silence, and why. */
export const silenced = signal<ReadonlyMap<string, string>>(new Map());

const atOnce = 1000;

export function useSilenced(uids: readonly string[]): void {
  const asked = uids.slice(0, atOnce);
  const { data } = useLoad(
    asked.length > 0 && can('POST /alert/silenced') ? `silenced ${asked.join()}` : null,
    (abort) => client.post('/alert/silenced', { body: { uids: asked }, signal: abort }),
    { later: true },
  );
  useEffect(() => {
    silenced.value = new Map(
      (data?.data ?? []).map(({ uid, silences }) => [uid, silences.map(({ reason }) => reason).join('; ')]),
    );
  }, [data]);
}

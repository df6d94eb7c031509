import { effect, signal } from '@preact/signals';
import type { Alert } from '../../../sdk/src/index.ts';
import { withinTenant } from './alertQuery.ts';
import { client } from './api.ts';
import { navigate } from './route.ts';
import { can, session } from './session.ts';

const storageKey = 'vigil-notify';
const wanted = 'severity:(HIGH OR CRITICAL)';

/** True where the person asked for notifications while the console is open in this browser. */
export const isNotifying = signal(localStorage.getItem(storageKey) === '1');

export const canNotify = typeof Notification !== 'undefined' && isSecureContext;

/** Asks for the permission in place; false if it was refused. */
export async function askToNotify(): Promise<boolean> {
  if (!canNotify) return false;
  return (await Notification.requestPermission()) === 'granted';
}

export function setNotifying(isOn: boolean): void {
  isNotifying.value = isOn;
  startNotifying();
  if (isOn) localStorage.setItem(storageKey, '1');
  else localStorage.removeItem(storageKey);
}

let isStarted = false;

/** Follows severe alerts and shows each while no one looks at the page. */
export function startNotifying(): void {
  if (isStarted) return;
  isStarted = true;
  effect(() => {
    const isSignedIn = session.value.state === 'signed-in';
    if (!isNotifying.value || !isSignedIn || !canNotify || !can('GET /alert/stream')) return undefined;
    if (Notification.permission !== 'granted') return undefined;
    const controller = new AbortController();
    void follow(withinTenant(wanted), controller.signal);
    return () => controller.abort();
  });
}

async function follow(query: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const { alert } of client.follow({ query, signal }))
      if (document.hidden && alert.status === 'UNRESOLVED') show(alert);
  } catch {
    // The stream repeats what can be repeated; a session that ended, or a plan without streams, is said by the pages.
  }
}

function show({ uid, incidentUid, name, message, severity }: Alert): void {
  const notification = new Notification(`${severity}: ${name.slice(0, 100)}`, {
    body: message.slice(0, 300),
    tag: incidentUid ?? uid,
    icon: './icon-192.png',
  });
  notification.addEventListener('click', () => {
    window.focus();
    navigate(incidentUid ? `/incidents/${incidentUid}` : `/alert/${uid}`);
    notification.close();
  });
}

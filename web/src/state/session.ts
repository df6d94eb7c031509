import { computed, effect, signal } from '@preact/signals';
import type { ReplyOf } from '../../../sdk/src/index.ts';
import { accessOf, isEnough } from '../../../src/api/http/access.ts';
import { client, VigilError, whenSignedOut } from './api.ts';

export type Me = ReplyOf<'GET', '/auth/me'>;

export type Session =
  | { state: 'loading' }
  | { state: 'signed-out'; reason?: string; awaitsFirstUser?: boolean }
  | { state: 'signed-in'; me: Me };

const rememberedAs = 'vigil-me';
const remembered = recall();
/** The user of the last visit is taken to be signed in until the server answers, which alone decides what they get. */
export const session = signal<Session>(
  remembered ? { state: 'signed-in', me: remembered } : { state: 'loading' },
);
export const me = computed(() => (session.value.state === 'signed-in' ? session.value.me : undefined));

/** The tenant that an administrator looks at; a user of a tenant sees only their own. */
const chosenAs = 'vigil-tenant';
const chosen = signal<number | undefined>(Number(localStorage.getItem(chosenAs)) || undefined);
export const mayChooseTenant = computed(() => me.value !== undefined && me.value.tenantId === null);
export const tenantId = computed(() => me.value?.tenantId ?? chosen.value);

export function chooseTenant(id: number | undefined): void {
  chosen.value = id;
  localStorage.setItem(chosenAs, id === undefined ? 'all' : String(id));
}

/** Whether an administrator has ever said which tenant, or all, to look at. */
export const hasChosenTenant = (): boolean => localStorage.getItem(chosenAs) !== null;

/** Whether the roles of the session are enough for an endpoint, such as `POST /contract`. */
export function can(endpoint: string): boolean {
  const roles = me.value?.roles ?? [];
  if (roles.includes('admin')) return true;
  const [method, path] = endpoint.split(' ') as [string, string];
  const access = accessOf({ method, path });
  return access === 'public' || roles.some((role) => isEnough(access, role));
}

effect(() => {
  const { state } = session.value;
  if (state === 'signed-in') localStorage.setItem(rememberedAs, JSON.stringify(me.value));
  if (state === 'signed-out') localStorage.removeItem(rememberedAs);
});

function recall(): Me | undefined {
  const kept = localStorage.getItem(rememberedAs);
  if (kept === null) return undefined;
  try {
    const last = JSON.parse(kept) as Me;
    return last.expiredAt !== null && last.expiredAt < Date.now() ? undefined : last;
  } catch {
    return undefined;
  }
}

/** Asks who is signed in; tries again for as long as Vigil cannot be reached. */
export async function loadSession(): Promise<void> {
  try {
    const read = await readSession();
    // Nothing is drawn again for what has not changed.
    if (JSON.stringify(read) !== JSON.stringify(session.value)) session.value = read;
  } catch {
    setTimeout(() => void loadSession(), 1000);
  }
}

async function readSession(): Promise<Session> {
  try {
    return { state: 'signed-in', me: await client.get('/auth/me') };
  } catch (error) {
    if (!(error instanceof VigilError && error.status === 401)) throw error;
    const { value } = session;
    const reason = value.state === 'signed-out' && value.reason ? { reason: value.reason } : {};
    return { state: 'signed-out', ...reason, awaitsFirstUser: (await client.get('/auth/setup')).isOpen };
  }
}

export async function signOut(): Promise<void> {
  try {
    await client.logout();
  } finally {
    session.value = { state: 'signed-out' };
  }
}

whenSignedOut(() => {
  if (session.value.state === 'signed-in')
    session.value = {
      state: 'signed-out',
      reason: 'Your session has ended. Sign in to go on where you were.',
    };
});

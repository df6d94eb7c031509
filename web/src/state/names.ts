import { signal } from '@preact/signals';
import type { ReplyOf } from '../../../sdk/src/index.ts';
import { client, searchRecords, whenQuiet } from './api.ts';

export type Named = { id: number; name: string };
export type NamedKind =
  | 'project'
  | 'contract'
  | 'detector'
  | 'trigger'
  | 'action'
  | 'wallet'
  | 'tenant'
  | 'organisation';

const known = signal<Readonly<Record<string, string>>>({});
const wanted = new Map<NamedKind, Set<number>>();
let isScheduled = false;

/** The name of a record, once it is known; all names asked for at once are read with one request a kind. */
export function nameOf(kind: NamedKind, id: number | null | undefined): string | undefined {
  if (id === null || id === undefined) return undefined;
  const name = known.value[`${kind} ${id}`];
  if (name === undefined) want(kind, id);
  return name || undefined;
}

function want(kind: NamedKind, id: number): void {
  const ids = wanted.get(kind) ?? new Set();
  if (ids.has(id)) return;
  wanted.set(kind, ids.add(id));
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    for (const [kind, ids] of wanted) void read(kind, [...ids]);
    wanted.clear();
  });
}

async function read(kind: NamedKind, ids: readonly number[]): Promise<void> {
  const asked = ids.slice(0, 200);
  const empty = Object.fromEntries(asked.map((id) => [`${kind} ${id}`, '']));
  // Shown before the answer, so that another drawing does not ask again; a failure shows the id instead of the name.
  known.value = { ...empty, ...known.value };
  try {
    await whenQuiet();
    const where = asked.map((id) => `id = ${id}`).join(' or ');
    const { data } = await searchRecords<Named>(`/${kind}`, { where, size: asked.length });
    known.value = {
      ...known.value,
      ...Object.fromEntries(data.map(({ id, name }) => [`${kind} ${id}`, name])),
    };
  } catch {
    // The id says enough until the page is opened again.
  }
}

/** Everything read so far is asked for again, after a record was renamed. */
export function forgetNames(): void {
  known.value = {};
}

export type Chain = ReplyOf<'GET', '/chain'>['data'][number];

export const chains = signal<readonly Chain[]>([]);

export async function loadChains(): Promise<readonly Chain[]> {
  chains.value = (await client.get('/chain')).data;
  return chains.value;
}

export function chainOf(uid: string | null | undefined): Chain | undefined {
  return chains.value.find(({ chainUid }) => chainUid === uid);
}

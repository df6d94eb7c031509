import { signal } from '@preact/signals';
import type { ReplyOf } from '../../../sdk/src/index.ts';
import { client, searchRecords, whenQuiet } from './api.ts';
import { changes } from './changes.ts';
import { forgetSchemas } from './schemas.ts';

export type Named = { id: number; name: string | null; email?: string };
export type NamedKind =
  | 'project'
  | 'contract'
  | 'detector'
  | 'trigger'
  | 'action'
  | 'wallet'
  | 'tenant'
  | 'organisation'
  | 'user';

/** Names, each as of how many changes of records. */
const known = signal<Readonly<Record<string, { name: string; asOf: number }>>>({});
const wanted = new Map<NamedKind, Set<number>>();
let isScheduled = false;

/**
 * The name of a record, once it is known; all names asked for at once are read with one request a kind. After a change of any record
 * it is read again, and the old one shown until then.
 */
export function nameOf(kind: NamedKind, id: number | null | undefined): string | undefined {
  if (id === null || id === undefined) return undefined;
  const found = known.value[`${kind} ${id}`];
  if (found?.asOf !== changes.value) want(kind, id);
  return found?.name || undefined;
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
  const asOf = changes.peek();
  const named = (names: ReadonlyMap<number, string>) =>
    Object.fromEntries(
      asked.map((id) => {
        const name = names.get(id) ?? known.peek()[`${kind} ${id}`]?.name ?? '';
        return [`${kind} ${id}`, { name, asOf }];
      }),
    );
  // Before the answer, so that another drawing does not ask again; a failure shows the id instead of the name.
  known.value = { ...known.peek(), ...named(new Map()) };
  try {
    await whenQuiet();
    const where = asked.map((id) => `id = ${id}`).join(' or ');
    const { data } = await searchRecords<Named>(`/${kind}`, { where, size: asked.length });
    known.value = {
      ...known.peek(),
      ...named(new Map(data.map(({ id, name, email }) => [id, name ?? email ?? '']))),
    };
  } catch {
    // The id says enough until the page is opened again.
  }
}

export type Chain = ReplyOf<'GET', '/chain'>['data'][number];

export const chains = signal<readonly Chain[]>([]);

export async function loadChains(): Promise<readonly Chain[]> {
  const { data } = await client.get('/chain');
  const uids = (list: readonly Chain[]) => list.map(({ chainUid }) => chainUid).join();
  // The schemas of forms list the chains.
  const before = chains.peek();
  if (before.length > 0 && uids(data) !== uids(before)) forgetSchemas();
  chains.value = data;
  return data;
}

export function chainOf(uid: string | null | undefined): Chain | undefined {
  return chains.value.find(({ chainUid }) => chainUid === uid);
}

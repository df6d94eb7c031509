import type { Scope } from '../../model/principal.ts';
import {
  findGuardedRecords,
  findGuardedWallets,
  type GuardedRecord,
  type GuardedWallet,
  lockGuarded,
} from '../../store/actions/guardedRecords.ts';
import { dryRun, tryOut } from '../../store/db/dryRun.ts';
import type { Call } from '../call.ts';
import { describeChanges, type GuardedChange } from './describeChanges.ts';

/** Changes of guarded wallets by a request, and these wallets; the first asks for the approval. */
export type Held = { changes: GuardedChange[]; wallets: [GuardedWallet, ...GuardedWallet[]] };

type Work<T> = (call: Call) => Promise<T>;

/** Does the work where it leaves guarded wallets alone; otherwise it is undone, and what it would have changed is the answer. */
export async function doUnlessGuarded<T>(call: Call, work: Work<T>): Promise<{ done: T } | { held: Held }> {
  const wallets = await lockWallets(call, work);
  if (wallets.length === 0) return { done: await work(call) };
  const before = await findGuardedRecords(call.db, wallets);
  let changed: GuardedRecord[] = [];
  let after: GuardedRecord[] = [];
  const done = await tryOut(
    call.db,
    async () => {
      const result = await work(call);
      const records = await findGuardedRecords(call.db, wallets, { also: before });
      changed = [...unlike(before, records), ...unlike(records, before)];
      if (changed.length > 0)
        after = await findGuardedRecords(call.db, wallets, { also: before, shown: changed });
      return result;
    },
    () => changed.length === 0,
  );
  if (changed.length === 0) return { done };
  const known = await findGuardedRecords(call.db, wallets, { shown: changed });
  const changes = describeChanges(shownOf(known), shownOf(after), call.now);
  return { held: { changes, wallets: concerned(wallets, changed) } };
}

/** Of signing by hand and of a new key, which are not tried: what is done, if a guarded wallet does it. */
export async function describeDeed(
  call: Call,
  { kind, id }: { kind: 'action' | 'wallet'; id: number },
  given: Readonly<Record<string, unknown>>,
): Promise<Held | undefined> {
  const wallets = await findGuardedWallets(call.db, call.visible);
  if (wallets.length === 0) return undefined;
  const records = await findGuardedRecords(call.db, wallets, { shown: [{ kind, id }] });
  const record = records.find((one) => one.kind === kind && one.id === id);
  if (!record?.members) return undefined;
  const { name, address, contract, funcSignature, params } = record.members;
  const members =
    kind === 'wallet'
      ? [{ name: 'key', before: address, after: 'a new key, with another address' }]
      : Object.entries({ contract, funcSignature, params, given }).map(([member, after]) => ({
          name: member,
          before: null,
          after,
        }));
  const change = { change: kind === 'wallet' ? 'CHANGED' : 'ADDED', name: String(name), members } as const;
  return {
    changes: [kind === 'wallet' ? { ...change, kind, id } : { ...change, kind: 'execution', id: null }],
    wallets: concerned(wallets, [record]),
  };
}

/** The guarded wallets that the request may have to do with, whose tenants' other requests wait for it. */
async function lockWallets<T>(call: Call, work: Work<T>): Promise<GuardedWallet[]> {
  const visible = await findGuardedWallets(call.db, call.visible);
  if (visible.length === 0) return [];
  const tenantIds = call.visible.all ? await findTouched(call, work) : tenantsOf(visible);
  if (tenantIds.length === 0) return [];
  await lockGuarded(call.db, tenantIds);
  const scope: Scope = { all: false, tenantIds, organisationIds: [] };
  return findGuardedWallets(call.db, scope);
}

/** Administrators see every tenant's wallets: the audit log knows whose records the request changes. */
async function findTouched<T>(call: Call, work: Work<T>): Promise<number[]> {
  const touched = new Set<number>();
  await dryRun(call.db, () => work({ ...call, touched }));
  return [...touched];
}

function tenantsOf(wallets: readonly GuardedWallet[]): number[] {
  return [...new Set(wallets.map(({ tenantId }) => tenantId))];
}

/** Those of `records` that `others` lack or have otherwise. */
function unlike(records: readonly GuardedRecord[], rest: readonly GuardedRecord[]): GuardedRecord[] {
  const digests = new Map(rest.map(({ kind, id, digest }) => [`${kind} ${id}`, digest]));
  return records.filter(({ kind, id, digest }) => digests.get(`${kind} ${id}`) !== digest);
}

function shownOf(records: readonly GuardedRecord[]): GuardedRecord[] {
  return records.filter(({ members }) => members !== null);
}

function concerned(
  wallets: readonly GuardedWallet[],
  records: readonly GuardedRecord[],
): [GuardedWallet, ...GuardedWallet[]] {
  const ids = new Set(records.flatMap(({ walletIds }) => walletIds));
  const [first, ...rest] = wallets.filter(({ id }) => ids.has(id));
  if (!first) throw new Error('What a guarded wallet depends on changed, and no wallet is known of it.');
  return [first, ...rest];
}

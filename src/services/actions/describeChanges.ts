import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../lib/isRecord.ts';
import { sealedText } from '../../lib/secret.ts';
import type { GuardedRecord } from '../../store/actions/guardedRecords.ts';

type MemberChange = { name: string; before: unknown; after: unknown };

/** One record before and after a request, in words that its approver can read. */
export type GuardedChange = {
  change: 'ADDED' | 'CHANGED' | 'REMOVED';
  kind: string;
  /** Null of a record that the request creates. */
  id: number | null;
  name: string | null;
  members: MemberChange[];
};

/**
 * Differences between two states of the same wallets. Records that the request creates get a new id when it is carried
 * out, so their ids are left out.
 */
export function describeChanges(
  before: readonly GuardedRecord[],
  after: readonly GuardedRecord[],
  now: number,
): GuardedChange[] {
  const was = new Map(before.map((record) => [keyOf(record), record]));
  const is = new Map(after.map((record) => [keyOf(record), record]));
  const created = new Set(
    after.filter((record) => !was.has(keyOf(record)) && record.createdAt === now).map(keyOf),
  );
  return [...new Set([...was.keys(), ...is.keys()])].toSorted(inOrder).flatMap((key): GuardedChange[] => {
    const [old, young] = [was.get(key), is.get(key)];
    const record = young ?? old;
    const members = changedMembers(old?.members ?? {}, young?.members ?? {}, created);
    if (!record || members.length === 0) return [];
    const { kind, id } = record;
    const name = record.members?.name;
    return [
      {
        change: !old ? 'ADDED' : young ? 'CHANGED' : 'REMOVED',
        kind,
        id: created.has(key) ? null : id,
        name: typeof name === 'string' ? name : null,
        members,
      },
    ];
  });
}

type Members = Readonly<Record<string, unknown>>;

function changedMembers(before: Members, after: Members, created: ReadonlySet<string>): MemberChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].toSorted().flatMap((name): MemberChange[] => {
    const [old, young] = [before[name] ?? null, after[name] ?? null];
    const isReference = references.has(name);
    if (isReference ? isSameRecord(old, young) : isDeepStrictEqual(old, young)) return [];
    if (name === 'credentials') return [{ name, before: sealed(old), after: sealed(young) }];
    return [{ name, before: old, after: isReference ? withoutNewId(young, created) : young }];
  });
}

function sealed(value: unknown): string | null {
  return value === null ? null : sealedText;
}

/** Members that name another record. */
const references = new Set(['wallet', 'contract', 'action', 'firedBy', 'schema', 'trigger']);

/** A record that only got another name is listed itself. */
function isSameRecord(left: unknown, right: unknown): boolean {
  return isKey(left) && isKey(right) ? keyOf(left) === keyOf(right) : left === right;
}

function withoutNewId(value: unknown, created: ReadonlySet<string>): unknown {
  return isKey(value) && created.has(keyOf(value)) ? { ...value, id: null } : value;
}

function isKey(value: unknown): value is { kind: string; id: number } {
  return isRecord(value) && typeof value.kind === 'string' && typeof value.id === 'number';
}

function keyOf({ kind, id }: { kind: string; id: number }): string {
  return `${kind} ${id}`;
}

/** By kind, then by number. */
function inOrder(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true });
}

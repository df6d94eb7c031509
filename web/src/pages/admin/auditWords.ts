import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { toLabel } from '../../state/format.ts';
import { type NamedKind, nameOf } from '../../state/names.ts';
import { can } from '../../state/session.ts';

export type AuditEntry = ReplyOf<'GET', '/audit'>['data'][number];
export type AuditChange = { member: string; before: string; after: string };

const named: readonly string[] = [
  'project',
  'contract',
  'detector',
  'trigger',
  'action',
  'wallet',
  'tenant',
  'organisation',
  'user',
] satisfies NamedKind[];

function isNamed(kind: string): kind is NamedKind {
  return named.includes(kind);
}

/** Who did it, as people are called. */
export function actorOf({ actor }: AuditEntry): string {
  const { userId, tokenId, tokenKind, address } = actor;
  if (typeof userId === 'number') return nameOfRecord('user', userId);
  if (tokenKind === 'API_KEY') return `API key #${String(tokenId)}`;
  if (tokenKind === 'ADMIN') return 'the administrator’s token';
  return typeof address === 'string' ? `someone at ${address}` : 'Vigil';
}

/** What was changed, by its name. */
export function recordOf({ record }: AuditEntry): string {
  const { kind, id } = record as { kind: string; id: number | null };
  return id === null ? toLabel(kind) : nameOfRecord(kind, id);
}

function nameOfRecord(kind: string, id: number): string {
  const isKnown = isNamed(kind) && can(`POST /${kind}/search`);
  const name = isKnown ? nameOf(kind, id) : undefined;
  return kind === 'user' ? (name ?? `user #${id}`) : `${toLabel(kind)} ${name ?? `#${id}`}`;
}

/** Each member with what it was and what it is. */
export function changesOf({ changes }: AuditEntry): AuditChange[] {
  return Object.entries(changes).map(([member, change]) => {
    const isPair = typeof change === 'object' && change !== null && 'after' in change && 'before' in change;
    return {
      member: toLabel(member),
      before: isPair ? textOf(change.before) : '',
      after: textOf(isPair ? change.after : change),
    };
  });
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ') || '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

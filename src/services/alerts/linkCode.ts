import { timingSafeEqual } from 'node:crypto';
import type { AuditKeys } from '../../lib/auditKey.ts';

export const linkActions = ['acknowledge', 'assign', 'resolve', 'silence', 'halt'] as const;

/** Effect, recipient and expiry of a link in a message. */
export type ActionLink = {
  tenantId: number;
  /** The destination that got it. */
  destinationId: number;
  action: (typeof linkActions)[number];
  subject: 'alert' | 'incident';
  uid: string;
  expiresAt: number;
  /** The user who was called by it, where it went to one. */
  userId: number | null;
};

const form = new RegExp(
  String.raw`^(\d{1,10})\.(\d{1,15})\.(\d{1,15})\.(${linkActions.join('|')})\.(alert|incident)\.([0-9a-f-]{36})` +
    String.raw`\.(\d{1,15})(?:\.(\d{1,15}))?$`,
);

/** The text of a link: readable, and signed as a whole by a key that the database does not have. */
export function writeLinkCode({ newest }: Pick<AuditKeys, 'newest'>, link: ActionLink): string {
  const key = newest();
  const text = textOf(key.id, link);
  return `${text}.${key.signLink(text).toString('base64url')}`;
}

/** Undefined unless every character is as it was written. */
export async function readLinkCode(
  keys: Pick<AuditKeys, 'find'>,
  code: string,
): Promise<ActionLink | undefined> {
  const index = code.lastIndexOf('.');
  const text = code.slice(0, Math.max(index, 0));
  const [, keyId, tenantId, destinationId, word, subject, uid = '', expiresAt, userId] =
    form.exec(text) ?? [];
  const action = linkActions.find((candidate) => candidate === word);
  const key = keyId === undefined ? undefined : await keys.find(Number(keyId));
  if (!key || !action) return undefined;
  const expected = key.signLink(text).toString('base64url');
  const given = code.slice(index + 1);
  if (given.length !== expected.length || !timingSafeEqual(Buffer.from(given), Buffer.from(expected)))
    return undefined;
  return {
    tenantId: Number(tenantId),
    destinationId: Number(destinationId),
    action,
    subject: subject === 'incident' ? 'incident' : 'alert',
    uid,
    expiresAt: Number(expiresAt),
    userId: userId === undefined ? null : Number(userId),
  };
}

function textOf(keyId: number, link: ActionLink): string {
  const { tenantId, destinationId, action, subject, uid, expiresAt, userId } = link;
  const user = userId === null ? [] : [userId];
  return [keyId, tenantId, destinationId, action, subject, uid, expiresAt, ...user].join('.');
}

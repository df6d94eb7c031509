import { timingSafeEqual } from 'node:crypto';
import type { AuditKeys } from '../../lib/auditKey.ts';

export const linkActions = ['acknowledge', 'resolve'] as const;

/** What a link of a message does, to whom it was sent, and until when it works. */
export type ActionLink = {
  tenantId: number;
  /** The destination that got it. */
  destinationId: number;
  action: (typeof linkActions)[number];
  subject: 'alert' | 'incident';
  uid: string;
  expiresAt: number;
};

const form =
  /^(\d{1,10})\.(\d{1,15})\.(\d{1,15})\.(acknowledge|resolve)\.(alert|incident)\.([0-9a-f-]{36})\.(\d{1,15})$/;

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
  const at = code.lastIndexOf('.');
  const text = code.slice(0, Math.max(at, 0));
  const [, keyId, tenantId, destinationId, action, subject, uid = '', expiresAt] = form.exec(text) ?? [];
  const key = keyId === undefined ? undefined : await keys.find(Number(keyId));
  if (!key) return undefined;
  const expected = key.signLink(text).toString('base64url');
  const given = code.slice(at + 1);
  if (given.length !== expected.length || !timingSafeEqual(Buffer.from(given), Buffer.from(expected)))
    return undefined;
  return {
    tenantId: Number(tenantId),
    destinationId: Number(destinationId),
    action: action === 'resolve' ? 'resolve' : 'acknowledge',
    subject: subject === 'incident' ? 'incident' : 'alert',
    uid,
    expiresAt: Number(expiresAt),
  };
}

function textOf(keyId: number, link: ActionLink): string {
  const { tenantId, destinationId, action, subject, uid, expiresAt } = link;
  return [keyId, tenantId, destinationId, action, subject, uid, expiresAt].join('.');
}

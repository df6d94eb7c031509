import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits behind a prefix that secret scanners can look for. */
export function createToken(
  kind: 'admin' | 'session' | 'key' | 'invite' | 'confirm' | 'setup' | 'device' | 'calendar',
): string {
  return `vigil_${kind}_${randomBytes(32).toString('base64url')}`;
}

/** Tokens are stored only in this form: they are random, so a plain digest cannot be guessed back. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

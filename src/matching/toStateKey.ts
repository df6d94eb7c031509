import { createHash } from 'node:crypto';

/** A short name for settings: the same for the same ones. */
export function toStateKey(settings: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 12);
}

import { hash } from 'node:crypto';
import { Problem } from '../../model/errors.ts';

/** A digest of what a reader sees, so that it changes exactly when that does. */
export function etagOf(json: string): string {
  return `"${hash('sha256', json, 'base64url').slice(0, 22)}"`;
}

/** If-None-Match: the caller has this version already. */
export function isCurrent(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  const strong = (text: string) => text.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((candidate) => strong(candidate) === strong(etag));
}

/** If-Match: the change goes on only if the record is still the one that was read. */
export function checkIfMatch(
  ifMatch: string | undefined,
  noun: string,
  isPresent: (etag: string) => boolean,
): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  if (ifMatch.split(',').some((candidate) => isPresent(candidate.trim()))) return;
  throw new Problem('precondition-failed', `The ${noun} has changed since the version named in If-Match.`);
}

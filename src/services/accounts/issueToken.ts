import { createToken, hashToken } from '../../lib/token.ts';
import { insertToken, type NewToken } from '../../store/accounts/tokens.ts';
import type { Db } from '../../store/db/db.ts';

/** Makes a token and stores its digest; the token itself is returned once and kept nowhere. */
export async function issueToken(
  db: Db,
  token: Omit<NewToken, 'hash' | 'hint'>,
  now: number,
): Promise<{ id: number; token: string }> {
  const text = createToken(({ SESSION: 'session', API_KEY: 'key', ADMIN: 'admin' } as const)[token.kind]);
  const id = await insertToken(db, { ...token, hash: hashToken(text), hint: tokenHint(text) }, now);
  return { id, token: text };
}

/** Enough of a token to recognise it in a list, and far too little to use it. */
export function tokenHint(token: string): string {
  return `…${token.slice(-4)}`;
}

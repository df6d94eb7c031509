import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);
/** A tenth of a second of one processor. Tests that are about something else lower `N`. */
export const passwordCost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const keyBytes = 32;

/**
 * `scrypt$N$r$p$salt$key`, so that the cost can be raised later. Users with one address (in several tenants) share a
 * salt, so that a check takes the same time however many they are.
 */
export async function hashPassword(password: string, sharedWith?: string): Promise<string> {
  const salt = sharedWith === undefined ? randomBytes(16) : Buffer.from(parse(sharedWith).salt, 'base64');
  const key = await derive(password.normalize('NFKC'), salt, keyBytes, passwordCost);
  return format(salt, key);
}

function format(salt: Buffer, key: Buffer): string {
  const { N, r, p } = passwordCost;
  return ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$');
}

/** Those of the hashes that are of this password. Without any it takes the same time, so that timing reveals nothing. */
export async function matchPassword(password: string, hashes: readonly string[]): Promise<Set<string>> {
  const matching = new Set<string>();
  const derived = new Map<string, Buffer>();
  const absent = format(Buffer.alloc(16), Buffer.alloc(keyBytes));
  for (const hash of hashes.length === 0 ? [absent] : hashes) {
    const { settings, N, r, p, salt, key } = parse(hash);
    const options = { N, r, p, maxmem: passwordCost.maxmem };
    const computed =
      derived.get(settings) ??
      (await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), keyBytes, options));
    derived.set(settings, computed);
    if (timingSafeEqual(computed, Buffer.from(key, 'base64')) && hash !== absent) matching.add(hash);
  }
  return matching;
}

function parse(hash: string) {
  const [, N, r, p, salt = '', key = ''] = hash.split('$');
  return { settings: [N, r, p, salt].join('$'), N: Number(N), r: Number(r), p: Number(p), salt, key };
}

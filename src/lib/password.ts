import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const keyBytes = 32;

/** `scrypt$N$r$p$salt$key`, so that the cost can be raised later without locking anybody out. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password.normalize('NFKC'), salt, keyBytes, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), key.toString('base64')].join('$');
}

/** Takes the same time for an unknown user (no hash) as for a wrong password, so that neither can be told apart. */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = (hash ?? absent).split('$');
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: cost.maxmem };
  const derived = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), keyBytes, options);
  return timingSafeEqual(derived, Buffer.from(key, 'base64')) && hash !== null;
}

const absent = [
  'scrypt',
  cost.N,
  cost.r,
  cost.p,
  Buffer.alloc(16).toString('base64'),
  Buffer.alloc(keyBytes).toString('base64'),
].join('$');

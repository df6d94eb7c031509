import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './hasCode.ts';

/** `app` reads and writes rows, `owner` owns the tables and changes them. The superuser `vigil` cannot connect. */
export const roles = { app: 'vigil_app', owner: 'vigil_owner' } as const;

export type Passwords = Record<keyof typeof roles, string>;

/**
 * The passwords of the roles, readable by Vigil alone. Undefined until the cluster has the roles: the file is written
 * last, and an older version's has one password without a role.
 */
export async function readPasswords(dataDir: string): Promise<Passwords | undefined> {
  try {
    const lines = (await readFile(passwordFile(dataDir), 'utf8')).split('\n');
    const find = (role: string) =>
      lines
        .find((line) => line.startsWith(`${role}:`))
        ?.slice(role.length + 1)
        .trim();
    const [app, owner] = [find(roles.app), find(roles.owner)];
    return app && owner ? { app, owner } : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export function formatPasswords(passwords: Passwords): string {
  return `${roles.app}:${passwords.app}\n${roles.owner}:${passwords.owner}\n`;
}

export function passwordFile(dataDir: string): string {
  return join(dataDir, 'postgres-password');
}

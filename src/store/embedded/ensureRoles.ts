import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { asAccount, type SystemAccount } from './account.ts';
import type { WriteLog } from './log.ts';
import type { Binaries } from './provideBinaries.ts';
import { formatPasswords, type Passwords, passwordFile, readPasswords, roles } from './roles.ts';

const patienceMs = 120_000;

type Options = {
  binaries: Binaries;
  dataDir: string;
  cluster: string;
  account: SystemAccount | undefined;
  log: WriteLog;
};

/**
 * Gives a stopped cluster its two roles and its database, and removes the superuser's password. Hands over an older
 * cluster whose tables the superuser owns. A killed run is repeated.
 */
export async function ensureRoles(options: Options & { isNew: boolean }): Promise<Passwords> {
  const { dataDir, isNew, log } = options;
  const existing = await readPasswords(dataDir);
  if (existing !== undefined) return existing;
  const passwords = { app: createPassword(), owner: createPassword() };
  const partial = `${passwordFile(dataDir)}.partial`;
  await rm(partial, { force: true });
  await writeFile(partial, formatPasswords(passwords), { mode: 0o600, flush: true });
  await runAlone(options, 'postgres', rolesSql(passwords));
  if (!isNew) await runAlone(options, 'vigil', [handOver]);
  await rename(partial, passwordFile(dataDir));
  log('Created the roles of the database', { file: passwordFile(dataDir) });
  return passwords;
}

/** For a new cluster: the passwords of its predecessor are useless. */
export async function deletePasswords(dataDir: string): Promise<void> {
  await rm(passwordFile(dataDir), { force: true });
}

/** No one guesses 256 random bits, so deriving a key from them many times would only make every connection slower. */
function createPassword(): string {
  return randomBytes(32).toString('hex');
}

const { app, owner } = roles;

function rolesSql(passwords: Passwords): string[] {
  const rights = 'login nosuperuser nocreatedb nocreaterole nobypassrls noreplication';
  return [
    ...[app, owner].map(
      (role) => `do $$ begin if to_regrole('${role}') is null then create role ${role}; end if; end $$`,
    ),
    'set scram_iterations = 1',
    `alter role ${app} ${rights} password '${passwords.app}'`,
    `alter role ${owner} ${rights} password '${passwords.owner}'`,
    'alter role vigil password null',
    // Fails where the database exists, which `runAlone` accepts.
    `create database vigil owner ${owner}`,
    `alter database vigil owner to ${owner}`,
    'revoke connect, temporary on database vigil from public',
    `grant connect on database vigil to ${app}`,
  ];
}

/** One transaction, so that a crash leaves all or nothing to do. Sequences of columns follow their tables. */
const handOver = `do $$ declare item record; begin
    for item in
      select format('alter table %s owner to ${owner}', oid::regclass) as command from pg_class c
        where relnamespace = 'public'::regnamespace and relowner = 'vigil'::regrole and (relkind in ('r', 'p', 'v', 'm')
          or relkind = 'S' and not exists (select from pg_depend where objid = c.oid and deptype in ('a', 'i')))
      union all
      select format('alter routine %s owner to ${owner}', oid::regprocedure) from pg_proc
        where pronamespace = 'public'::regnamespace and proowner = 'vigil'::regrole
      union all
      select format('alter type %s owner to ${owner}', oid::regtype) from pg_type
        where typnamespace = 'public'::regnamespace and typowner = 'vigil'::regrole and typtype in ('d', 'e', 'r')
    loop execute item.command; end loop;
  end $$`.replaceAll(/\s+/g, ' ');

/**
 * In single-user mode, so that no superuser ever needs to connect. Each line is a statement. Tables of many months with their
 * indexes are locked at once.
 */
async function runAlone(
  { binaries, cluster, account }: Options,
  database: string,
  statements: readonly string[],
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const child = spawn(
      binaries.postgres,
      ['--single', '-c', 'max_locks_per_transaction=2048', '-D', cluster, database],
      { ...asAccount(account), stdio: ['pipe', 'ignore', 'pipe'] },
    );
    child.stdin.on('error', () => {});
    child.stdin.end(statements.map((statement) => `${statement}\n`).join(''));
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    const faults = output.split('\n').filter((line) => /ERROR|FATAL|PANIC/.test(line));
    if (code === 0 && faults.every((line) => line.includes('database "vigil" already exists'))) return;
    // Children of a killed server exit one by one.
    if (!/shared memory block|lock file/.test(output) || performance.now() > deadline)
      throw new Error(`PostgreSQL did not create its roles in ${cluster}:\n${output.trim()}`);
    await sleep(100);
  }
}

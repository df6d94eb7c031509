import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import type { Embedded } from '../src/store/embedded/startEmbedded.ts';
import { findCitusWorkers } from './createCitusDatabase.ts';
import { startWithSuperuser } from './startWithSuperuser.ts';
import { template } from './templateDatabase.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: Embedded['connection'];
    /** Where each database of a test is distributed; none on plain PostgreSQL. */
    citusWorkers: { host: string; port: number }[];
    /** Where the first test that needs it puts a data folder to copy. */
    dataFolder: string;
  }
}

/**
 * One server for the whole run; each test makes its own database in it. VIGIL_TEST_DATABASE_URL names another one, with a user who
 * may create databases; where that is a coordinator of Citus, what the tests make is distributed.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const outside = process.env.VIGIL_TEST_DATABASE_URL;
  const dataFolder = join(tmpdir(), `vigil-test-first-${randomUUID()}`);
  project.provide('dataFolder', dataFolder);
  const stop = outside ? await useOutside(project, outside) : await startOwn(project, dataFolder);
  return async () => {
    await stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
}

async function useOutside(project: TestProject, connectionString: string): Promise<() => Promise<void>> {
  const { host, port, user, password, database } = new Client({ connectionString });
  project.provide('postgres', {
    host,
    port,
    user: user!,
    password: password!,
    database: database!,
    ssl: false,
  });
  project.provide('citusWorkers', await findCitusWorkers({ connectionString }));
  // One that an earlier run left may lack migrations.
  const drop = async () => {
    const client = new Client({ connectionString });
    await client.connect();
    await client.query(`drop database if exists ${template}`);
    await client.end();
  };
  await drop();
  return drop;
}

async function startOwn(project: TestProject, dataFolder: string): Promise<() => Promise<void>> {
  // Left to startEmbedded to create: as root it opens only folders of its own making to PostgreSQL's account.
  const dataDir = join(tmpdir(), `vigil-test-${randomUUID()}`);
  const embedded = await startWithSuperuser({
    dataDir,
    settings: {
      fsync: 'off',
      full_page_writes: 'off',
      synchronous_commit: 'off',
      max_connections: '300',
      autovacuum: 'off',
    },
  });
  const guard = startGuard(embedded, dataDir, dataFolder, embedded.hbaFile);
  project.provide('postgres', embedded.connection);
  project.provide('citusWorkers', []);
  return async () => {
    guard.kill();
    await embedded.stop();
    await rm(dataDir, { recursive: true });
  };
}

/** Vitest runs no teardown when it is interrupted, so a shell waits for the end of its input, which is our end. */
function startGuard(embedded: Embedded, ...folders: string[]): ChildProcess {
  const script = `cat
    kill -INT "$(head -n 1 "$1/postmaster.pid")"
    while [ -e "$1/postmaster.pid" ]; do sleep 0.1; done
    rm -rf "$@"`;
  const args = [embedded.dataFolder, embedded.connection.host, ...folders];
  const guard = spawn('/bin/sh', ['-c', script, 'guard', ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  return guard;
}

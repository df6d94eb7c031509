import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { membersOf } from '../lib/isRecord.ts';
import { isListening, toShortPath } from '../store/embedded/lockDataFolder.ts';
import type { Config } from './config/loadConfig.ts';
import { placeOf } from './database.ts';

/** A Vigil that runs on this machine as this user. It has no secret, and no address that may hold one. */
export type Running = {
  pid: number;
  /** As people name it, and by which two places are compared. */
  place: string;
  /** Undefined where the database is that of DATABASE_URL. */
  dataDir: string | undefined;
  /** Undefined where the key is in VIGIL_MASTER_KEY. */
  masterKeyFile: string | undefined;
};

const maxBytes = 16_384;

/**
 * Notes where this process works, for commands of the same user. A listening socket beside the note proves that the process lives: it
 * dies with it, as the lock of a data folder does.
 */
export async function publishRun(config: Config, log: Logger): Promise<Stoppable> {
  const { runDir, databaseUrl, dataDir, masterKey, masterKeyFile } = config;
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const [note, socket] = ['json', 'sock'].map((ending) => join(runDir, `${name}.${ending}`)) as [
    string,
    string,
  ];
  const server = createServer((connection) => connection.destroy()).unref();
  const stop = async () => {
    server.close();
    for (const file of [note, socket]) await rm(file, { force: true });
  };
  try {
    if ((await mkdir(runDir, { recursive: true, mode: 0o700 })) !== undefined) await chmod(runDir, 0o700);
    if (!(await isOwn(runDir))) throw new Error(`${runDir} belongs to another user, or others may enter it.`);
    await removeDead(runDir);
    const running: Running = {
      pid: process.pid,
      place: canonicalPlace(config),
      dataDir: databaseUrl ? undefined : dataDir,
      masterKeyFile: masterKey ? undefined : masterKeyFile,
    };
    await writeFile(note, JSON.stringify(running), { mode: 0o600, flag: 'wx' });
    // From now on others believe the note.
    await withShortPath(runDir, async (short) => {
      server.listen(join(short, `${name}.sock`));
      await once(server, 'listening');
    });
  } catch (error) {
    await stop();
    log.debug({ err: error }, 'The place of this Vigil was not noted; commands need its settings');
    return { stop: async () => {} };
  }
  return { stop };
}

/** Those that live, with one place each: several processes may share a database. */
export async function findRunning(runDir: string): Promise<Running[]> {
  if (!(await isOwn(runDir))) return [];
  const notes = (await readdir(runDir)).filter((name) => name.endsWith('.json'));
  const found = await Promise.all(notes.map((name) => readNote(runDir, name)));
  const byPlace = new Map(found.flatMap((running) => (running ? [[running.place, running]] : [])));
  return [...byPlace.values()];
}

/** The same for every path that leads to a data folder. */
export function canonicalPlace(config: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  const isFolder = !config.databaseUrl && existsSync(config.dataDir);
  return isFolder ? realpathSync(config.dataDir) : placeOf(config);
}

/** Only what this user alone can have written counts. */
async function isOwn(path: string): Promise<boolean> {
  try {
    const stats = await lstat(path);
    const isPlain = stats.isDirectory() || (stats.isFile() && stats.size <= maxBytes);
    return isPlain && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

async function readNote(runDir: string, name: string): Promise<Running | undefined> {
  const file = join(runDir, name);
  if (!(await isOwn(file)) || !(await isAlive(runDir, name))) return undefined;
  const {
    pid,
    place: location,
    dataDir,
    masterKeyFile,
  } = membersOf(JSON.parse(await readFile(file, 'utf8')));
  if (typeof pid !== 'number' || typeof location !== 'string' || !name.startsWith(`${pid}-`))
    return undefined;
  return { pid, place: location, dataDir: textOf(dataDir), masterKeyFile: textOf(masterKeyFile) };
}

async function isAlive(runDir: string, name: string): Promise<boolean> {
  try {
    process.kill(Number(name.split('-')[0]), 0);
  } catch {
    return false;
  }
  return withShortPath(runDir, (short) => isListening(join(short, name.replace(/json$/, 'sock'))));
}

/** A socket's path that is too long would be cut off without a word. */
async function withShortPath<T>(runDir: string, work: (short: string) => Promise<T>): Promise<T> {
  const handle = await open(runDir);
  try {
    return await work(toShortPath(runDir, handle.fd));
  } finally {
    await handle.close();
  }
}

/** A process that was killed leaves its note and its socket. */
async function removeDead(runDir: string): Promise<void> {
  for (const name of (await readdir(runDir)).filter((file) => file.endsWith('.json')))
    if (!(await isAlive(runDir, name)))
      for (const file of [name, name.replace(/json$/, 'sock')]) await rm(join(runDir, file), { force: true });
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

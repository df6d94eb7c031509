import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { hasCode } from './hasCode.ts';

type Lock = { release(): Promise<void> };

/**
 * One Vigil per data folder, by a lock that dies with its process: a listening socket with a name of its own in the
 * folder `lock`. Every starter first listens in a folder of its own and then renames that folder to `lock`, which
 * the file system grants to one of them only, and only while `lock` is missing or empty. A dead socket may be
 * removed by anyone at any time, because no later owner can have its name.
 */
export async function lockDataFolder(dataDir: string): Promise<Lock> {
  const lock = join(dataDir, 'lock');
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const server = createServer((socket) => socket.destroy()).unref();
  const handle = await open(dataDir);
  const mine = await mkdtemp(`${lock}-`);
  try {
    const base = toShortPath(dataDir, handle.fd);
    server.listen(join(base, mine.slice(dataDir.length), name));
    await once(server, 'listening');
    while (!(await isPublished(mine, lock))) await clearDead(lock, join(base, 'lock'), dataDir);
  } catch (error) {
    server.close();
    await rm(mine, { recursive: true, force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return {
    async release() {
      await rm(join(lock, name), { force: true });
      server.close();
      await rmdir(lock).catch((error: unknown) => {
        if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error;
      });
    },
  };
}

/** A socket's path may have about 100 bytes; Linux reaches a folder with a longer one through the open handle. */
export function toShortPath(dataDir: string, fd: number): string {
  if (Buffer.byteLength(dataDir) <= 70) return dataDir;
  if (process.platform === 'linux') return `/proc/self/fd/${fd}`;
  throw new Error(
    `The path of the data folder is too long: ${dataDir}; set VIGIL_DATA_DIR to one of at most 70 bytes`,
  );
}

async function isPublished(mine: string, lock: string): Promise<boolean> {
  try {
    await rename(mine, lock);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}

async function clearDead(lock: string, shortLock: string, dataDir: string): Promise<void> {
  for (const name of await namesIn(lock)) {
    if (await isListening(join(shortLock, name))) {
      throw new Error(
        `Another Vigil (process ${name.split('-')[0]}) already runs on data folder ${dataDir}; ` +
          'stop it or set VIGIL_DATA_DIR to another folder',
      );
    }
    await rm(join(lock, name), { force: true });
  }
}

async function namesIn(lock: string): Promise<string[]> {
  try {
    return await readdir(lock);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      if (hasCode(error, 'ECONNREFUSED', 'ENOENT')) resolve(false);
      // It exited between the call and its response.
      else if (hasCode(error, 'ECONNRESET')) resolve(isListening(path));
      // Its backlog is full: it runs, but is too busy to respond.
      else if (hasCode(error, 'EAGAIN')) resolve(true);
      else reject(error);
    });
  });
}

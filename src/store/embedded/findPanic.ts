import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './hasCode.ts';

const maxBytes = 64 * 1024;

/** The last reason in the server's log for which it gave up since then, such as a full disk. */
export async function findPanic(dataDir: string, since: number): Promise<string | undefined> {
  const lines = (await readEnd(join(dataDir, 'postgres.log'))).split('\n');
  const panics = lines.flatMap((line) => {
    const [, time, reason] = /^(\S+ \S+) UTC \[\d+\] PANIC: +(.+)$/.exec(line) ?? [];
    return reason !== undefined && Date.parse(`${time}Z`) >= since ? [reason] : [];
  });
  return panics.at(-1);
}

async function readEnd(path: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const start = Math.max(0, (await file.stat()).size - maxBytes);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, start);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
}

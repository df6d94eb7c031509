import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

export async function postmasterOf(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

export async function socketFolderOf(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[4]!;
}

/** The process ids of the postmaster and its children. */
export async function postgresProcesses(dataDir: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 1);
  const here = await Promise.all(
    pids.map(async (pid) => {
      // The process has exited, or is a kernel thread.
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
      return cwd === join(dataDir, 'postgres');
    }),
  );
  return pids.filter((_, i) => here[i]);
}

/** Stops all processes of a server without ending them, as a machine without power would seem; the result lets them go on. */
export async function hangServer(dataDir: string): Promise<() => void> {
  const pids = await postgresProcesses(dataDir);
  for (const pid of pids) kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) kill(pid, 'SIGCONT');
  };
}

/** Nothing where the process has ended. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

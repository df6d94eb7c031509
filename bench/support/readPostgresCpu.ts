import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const tickUs = 10_000;

/** Processor time of a PostgreSQL server and all its processes so far, also of those that have ended, in µs. */
export async function readPostgresCpu(dataFolder: string): Promise<number> {
  const [postmaster] = (await readFile(join(dataFolder, 'postmaster.pid'), 'utf8')).split('\n');
  const processes = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(readTimes),
  );
  return processes.reduce((sum, each) => {
    if (!each) return sum;
    if (each.pid === postmaster) return sum + each.own + each.ended;
    return each.parent === postmaster ? sum + each.own : sum;
  }, 0);
}

async function readTimes(pid: string) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name before may have spaces.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  if (!fields) return undefined;
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  const own = (await readExact(pid)) ?? (user + system) * tickUs;
  return { pid, parent: fields[1], own, ended: (endedUser + endedSystem) * tickUs };
}

/** In steps of nanoseconds, where the kernel says it. */
async function readExact(pid: string): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text.split(' ')[0]) / 1000;
}

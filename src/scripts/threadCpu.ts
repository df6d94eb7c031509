type Files = { readFileSync(path: string, encoding: 'utf8'): string; readlinkSync(path: string): string };

/** The system's id of the thread that calls, or 0 where the system does not report processor time by thread. */
export function findThreadId(files: Files): number {
  try {
    const id = Number(/task\/(\d+)$/.exec(files.readlinkSync('/proc/thread-self'))?.[1]);
    return Number(files.readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ')[0]) > 0 ? id : 0;
  } catch {
    return 0;
  }
}

/**
 * Processor time of a thread in milliseconds: wall time would charge a script for others, process time for other
 * threads. Where it is not reported, the process is the closest upper bound.
 */
export function threadCpuMs(files: Files, id: number): number {
  if (id > 0) {
    try {
      return Number(files.readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    } catch {
      // The thread has ended, and with it what was to be measured.
      return 0;
    }
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

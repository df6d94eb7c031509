/** Milliseconds of processor time that `run` takes; unlike the clock, other processes hardly change it. */
export function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

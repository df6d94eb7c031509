import { cpus, totalmem } from 'node:os';

/** What the figures were measured on, for their table. */
export function machine(): string {
  const processors = cpus();
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  return `${processors.length} cores (${processors[0]?.model ?? 'unknown'}), ${gib} GiB, Node ${process.versions.node}`;
}

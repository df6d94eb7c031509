import { accessSync, constants, statSync } from 'node:fs';

/** Reason why a command's file cannot be read; undefined when it can. */
export function fileFault(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return `There is no file ${path}.`;
  if (stats.isDirectory()) return `${path} is a folder; name a file in it.`;
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch {
    return `${path} may not be read by this user.`;
  }
}

import { existsSync } from 'node:fs';

/** A file or folder that lies beside the code, by its path from `src/` or `dist/`. */
export function codeFile(path: string): URL {
  const file = findCodeFile(path);
  if (!file) throw new Error(`${path} is missing beside the code. Build Vigil again.`);
  return file;
}

/** The same where it may be missing. A module may lie in a bundle, so it looks upwards. */
export function findCodeFile(path: string): URL | undefined {
  for (let folder = new URL('./', import.meta.url); ; ) {
    const file = new URL(path, folder);
    if (existsSync(file)) return file;
    const parent = new URL('../', folder);
    if (parent.href === folder.href) return undefined;
    folder = parent;
  }
}

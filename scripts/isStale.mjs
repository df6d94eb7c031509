import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Whether one of the files, or one in the folders, is newer than the last build into the folder `out`. */
export function isStale(out, files, folders) {
  const builtAt = statSync(join(root, out, '.built'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const inFolders = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file)),
  );
  return [...files, ...inFolders].some((file) => statSync(join(root, file)).mtimeMs > builtAt);
}

/** The same for dist/, which `npm run build` makes. */
export function isDistStale() {
  return isStale('dist', ['package.json'], ['src', 'sdk/src', 'web']);
}

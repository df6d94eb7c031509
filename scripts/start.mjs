// `npm start`: builds when a source file is newer than the last build, then runs the command line.
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

if (isStale()) {
  process.stderr.write('Building Vigil …\n');
  const { build } = await import('./build.mjs');
  await build();
}
if (process.argv.length === 2) process.argv.push('serve');
await import('../dist/bin/vigil.js');

function isStale() {
  const built = statSync(join(root, 'dist', '.built'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [
    join(root, 'package.json'),
    ...['src', 'sdk/src', 'web'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((file) => join(root, folder, file)),
    ),
  ].some((file) => statSync(file).mtimeMs > built);
}

// `npm start`: builds when a source file is newer than the last build, then runs the command line.
import { isDistStale } from './isStale.mjs';

if (isDistStale()) {
  process.stderr.write('Building Vigil …\n');
  const { build } = await import('./build.mjs');
  await build();
}
if (process.argv.length === 2) process.argv.push('serve');
await import('../dist/bin/vigil.js');

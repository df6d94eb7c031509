import { existsSync } from 'node:fs';
import { isDistStale, isStale } from './isStale.mjs';

/** Builds when a source file is newer than the last build. Without the tools of development it runs what was built, or says what to do. */
export async function buildIfStale({ withDemo = false } = {}) {
  if (!existsSync(new URL('../node_modules/rolldown', import.meta.url))) return requireBuild();
  if (isDistStale()) {
    process.stderr.write('Building Vigil …\n');
    const { build } = await import('./build.mjs');
    await build();
  }
  if (withDemo && isStale('dist/demo', ['package.json'], ['src', 'sdk/src', 'demo', 'testing'])) {
    process.stderr.write('Building the demo …\n');
    const { bundleDemo } = await import('./bundleDemo.mjs');
    await bundleDemo();
  }
}

function requireBuild() {
  if (existsSync(new URL('../dist/.built', import.meta.url))) return;
  process.stderr.write('There is no build to start. Build first: npm install && npm run build\n');
  process.exit(1);
}

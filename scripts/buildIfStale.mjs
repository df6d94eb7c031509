import { isDistStale } from './isStale.mjs';

/** Builds when a source file is newer than the last build. */
export async function buildIfStale() {
  if (!isDistStale()) return;
  process.stderr.write('Building Vigil …\n');
  const { build } = await import('./build.mjs');
  await build();
}

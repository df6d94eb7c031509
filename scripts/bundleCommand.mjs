// Bundles the command line into dist/bin: a few large files load in half the time of nine hundred small ones.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { packagesOf } from './thirdParty.mjs';

/**
 * Native code, packages that read files beside their own, and the sandbox, whose worker consists of the text of its functions. Such
 * packages are the `dependencies` of package.json; the build contains all others, which are therefore `devDependencies`.
 */
const separate = [
  /^koffi/,
  /^pg-native$/,
  /^pino$/,
  /^quickjs-emscripten/,
  /^@fastify\/swagger-ui/,
  /^@stellar\/stellar-xdr-json/,
  /\/dist\/scripts\//,
];

/**
 * For the shell it is a line that goes on as Node, with a flag that neither `env` passes on everywhere nor NODE_OPTIONS may have. V8
 * otherwise collects the whole heap 100 s after it has grown, needed or not: with half a million detectors the blocks of all chains
 * wait for seconds, and a rolling restart is when heaps grow. Code that V8 keeps does not depend on it.
 */
const entry = `#!/bin/sh
':' //; exec node --no-memory-reducer "$0" "$@"
${readFileSync(join(import.meta.dirname, 'requireNode.mjs'), 'utf8')}
import('./codeCache.js').then(({ loadCached }) => loadCached(new URL('./vigil.cjs', import.meta.url)));
`;

/** Returns the packages that the bundle contains. */
export async function bundleCommand(dist) {
  const bundle = await rolldown({
    input: join(dist, 'bin', 'vigil.js'),
    platform: 'node',
    external: separate,
    logLevel: 'warn',
  });
  // Scripts that require, because Node keeps no compiled code of modules, and code that it has kept cannot import.
  const { output } = await bundle.write({
    dir: join(dist, 'bin'),
    format: 'cjs',
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  });
  await bundle.close();
  writeFileSync(join(dist, 'bin', 'vigil.js'), entry);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'cacheCommand.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  return packagesOf(output.flatMap(({ moduleIds = [] }) => moduleIds));
}

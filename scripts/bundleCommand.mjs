// Bundles the command line into dist/bin: a few large files load in half the time of nine hundred small ones.
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
 * wait for seconds, and a rolling restart is when heaps grow.
 */
const entry = `#!/bin/sh
':' //; exec node --no-memory-reducer "$0" "$@"
${readFileSync(join(import.meta.dirname, 'requireNode.mjs'), 'utf8')}
import('./vigil.mjs');
`;

/** Returns the packages that the bundle contains. */
export async function bundleCommand(dist) {
  const bundle = await rolldown({
    input: join(dist, 'bin', 'vigil.js'),
    platform: 'node',
    external: separate,
    logLevel: 'warn',
  });
  const { output } = await bundle.write({
    dir: join(dist, 'bin'),
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
  writeFileSync(join(dist, 'bin', 'vigil.js'), entry);
  return packagesOf(output.flatMap(({ moduleIds = [] }) => moduleIds));
}

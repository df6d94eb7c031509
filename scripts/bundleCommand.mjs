// Bundles the command line into dist/bin: a few large files load in half the time of nine hundred small ones.
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Native code, packages that read files beside their own, and the sandbox, whose worker consists of the text of its functions. */
const separate = [
  /^koffi/,
  /^pg-native$/,
  /^pino$/,
  /^quickjs-emscripten/,
  /^@fastify\/swagger-ui/,
  /^@stellar\/stellar-xdr-json/,
  /\/dist\/scripts\//,
];

export async function bundleCommand(dist) {
  const bundle = await rolldown({
    input: join(dist, 'bin', 'vigil.js'),
    platform: 'node',
    external: separate,
    logLevel: 'warn',
  });
  await bundle.write({ dir: join(dist, 'bin'), format: 'esm', chunkFileNames: '[name]-[hash].js' });
  await bundle.close();
}

// Builds the console into a folder with the licences of what it bundles, and compresses its files, so that the server never has to.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
import { build } from 'vite';
import { formatNotices, packagesOf } from './thirdParty.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const compressible = /\.(css|html|js|svg|txt)$/;

/** Returns the packages that the console bundles. */
export async function buildWeb(folder = join(root, 'dist', 'web')) {
  const { output } = await build({
    configFile: join(root, 'web', 'vite.config.ts'),
    logLevel: 'warn',
    // A busy machine is no fault of the build.
    build: { outDir: folder, rolldownOptions: { checks: { pluginTimings: false } } },
  });
  const packages = packagesOf(output.flatMap(({ moduleIds = [] }) => moduleIds));
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), formatNotices(packages));
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!compressible.test(name)) continue;
    const file = join(folder, name);
    const content = readFileSync(file);
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(content, { params: { [zlib.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    );
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
  return packages;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWeb();

// Bundles the demo into dist/demo, from where `vigil demo` runs it.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { formatNotices, packagesOf } from './thirdParty.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'dist', 'demo');

export async function bundleDemo() {
  rmSync(folder, { recursive: true, force: true });
  const bundle = await rolldown({
    input: join(root, 'demo', 'demo.ts'),
    platform: 'node',
    external: [/^koffi/, /^quickjs-emscripten/, /^@stellar\/stellar-xdr-json/],
    logLevel: 'silent',
  });
  // A script, because the command line, whose code V8 keeps, can require and not import.
  const { output } = await bundle.write({ file: join(folder, 'demo.cjs'), format: 'cjs' });
  await bundle.close();
  // The stand-in of Stellar begins with a real ledger.
  cpSync(join(root, 'testing', 'recorded', 'stellarLedger.xdr.br'), join(folder, 'stellarLedger.xdr.br'));
  const packages = packagesOf(output.flatMap(({ moduleIds = [] }) => moduleIds));
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), formatNotices(packages));
  writeFileSync(join(folder, '.built'), '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleDemo();

// `npm run demo`: compiles src/, web/ and demo/ into dist-demo/ when a file of theirs is newer, and runs the demo.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWeb } from './buildWeb.mjs';
import { copiedFolders } from './copiedFolders.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'dist-demo');
const built = join(out, '.built');
/** The stand-in of Stellar begins with a real ledger. */
const recordedLedger = join('testing', 'recorded', 'stellarLedger.xdr.br');

if (isStale()) await compile();
await import('../dist-demo/demo/demo.js');

function isStale() {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [
    'package.json',
    'tsconfig.demo.json',
    ...['src', 'demo', 'testing', 'sdk/src', 'web/src'].flatMap(filesIn),
  ].some((file) => statSync(join(root, file)).mtimeMs > builtAt);
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file));
}

async function compile() {
  process.stderr.write('Compiling Vigil and its demo …\n');
  rmSync(out, { recursive: true, force: true });
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '--noCheck', '-p', join(root, 'tsconfig.demo.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  for (const file of ['package.json', recordedLedger, ...copiedFolders.map((folder) => join('src', folder))])
    cpSync(join(root, file), join(out, file), { recursive: true });
  // Not into dist/: a server that runs from there would miss the files it has listed.
  await buildWeb(join(out, 'src', 'web'));
  writeFileSync(built, '');
}

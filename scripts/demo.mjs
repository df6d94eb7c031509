// `npm run demo`: compiles src/, web/ and demo/ into dist-demo/ when a file of theirs is newer, and runs the demo.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copiedFolders } from './copiedFolders.mjs';
import { isDistStale, isStale } from './isStale.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'dist-demo');
/** The stand-in of Stellar begins with a real ledger. */
const recordedLedger = join('testing', 'recorded', 'stellarLedger.xdr.br');

const sources = ['src', 'demo', 'testing', 'sdk/src', 'web/src'];
if (isStale('dist-demo', ['package.json', 'tsconfig.demo.json'], sources)) await compile();
await import('../dist-demo/demo/demo.js');

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
  await provideWeb(join(out, 'src', 'web'));
  writeFileSync(join(out, '.built'), '');
}

/** Copies the console of a build that is up to date; else builds one here, because a server that runs from dist/ has listed its files. */
async function provideWeb(folder) {
  if (isDistStale()) await (await import('./buildWeb.mjs')).buildWeb(folder);
  else cpSync(join(root, 'dist', 'web'), folder, { recursive: true });
}

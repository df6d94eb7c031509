// Compiles src/ and bench/ into dist-bench/ and runs the benchmark that the command line names: `bench.mjs api`.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copiedFolders } from './copiedFolders.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
// A file that has moved since, such as a migration, must not stay behind in its old folder.
rmSync(join(root, 'dist-bench'), { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.bench.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
const recordedLedger = join('testing', 'recorded', 'stellarLedger.xdr.br');
for (const file of ['package.json', recordedLedger, ...copiedFolders.map((folder) => join('src', folder))])
  cpSync(join(root, file), join(root, 'dist-bench', file), { recursive: true });
await import(`../dist-bench/bench/${process.argv[2]}.js`);

// Compiles src/ (whose types `npm run check` checks) into dist/ and sdk/src/ into sdk/dist/, copies what the compiler leaves behind, and builds the console.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWeb } from './buildWeb.mjs';
import { bundleCommand } from './bundleCommand.mjs';
import { copiedFolders } from './copiedFolders.mjs';
import { formatNotices, runtimePackages } from './thirdParty.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export async function build() {
  for (const folder of ['dist', join('sdk', 'dist')])
    rmSync(join(root, folder), { recursive: true, force: true });
  // Side by side, on two cores: the compilers are processes of their own.
  const [inCommand, inConsole] = await Promise.all([
    buildCommand(),
    stage('console', buildWeb),
    stage('client', () => compile('sdk')),
  ]);
  writeFileSync(
    join(root, 'dist', 'bundled.json'),
    JSON.stringify({ command: inCommand.map(nameOf), console: inConsole.map(nameOf) }),
  );
  const packages = [...inCommand, ...runtimePackages(root)].sort((a, b) => (a.name < b.name ? -1 : 1));
  writeFileSync(join(root, 'dist', 'THIRD-PARTY-NOTICES.txt'), formatNotices(packages));
  writeFileSync(join(root, 'dist', '.built'), '');
}

async function buildCommand() {
  await stage('server', () => compile('tsconfig.build.json'));
  for (const folder of copiedFolders)
    cpSync(join(root, 'src', folder), join(root, 'dist', folder), { recursive: true });
  const packages = await stage('bundle', () => bundleCommand(join(root, 'dist')));
  // npm makes the command executable only when it installs; `npx vigil` needs it after every build.
  chmodSync(join(root, 'dist', 'bin', 'vigil.js'), 0o755);
  return packages;
}

/** Says on a line of its own that a part is built, and how long it took. */
async function stage(name, work) {
  const startedAt = performance.now();
  const result = await work();
  process.stderr.write(`built the ${name} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return result;
}

async function compile(project) {
  const require = createRequire(import.meta.url);
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
  const child = spawn(process.execPath, [tsc, '--noCheck', '-p', join(root, project)], { stdio: 'inherit' });
  const [status] = await once(child, 'close');
  if (status !== 0) process.exit(status ?? 1);
}

/** As the lock file and the bill of materials name a package. */
function nameOf({ name, version }) {
  return `${name}@${version}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();

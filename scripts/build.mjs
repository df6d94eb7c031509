// Compiles src/ (whose types `npm run check` checks) into dist/ and sdk/src/ into sdk/dist/, copies what the compiler leaves behind, and builds the console.
import { spawnSync } from 'node:child_process';
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
  const require = createRequire(import.meta.url);
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
  for (const [project, folder] of [
    ['tsconfig.build.json', 'dist'],
    ['sdk', join('sdk', 'dist')],
  ]) {
    rmSync(join(root, folder), { recursive: true, force: true });
    const { status } = spawnSync(process.execPath, [tsc, '--noCheck', '-p', join(root, project)], {
      stdio: 'inherit',
    });
    if (status !== 0) process.exit(status ?? 1);
  }
  for (const folder of copiedFolders)
    cpSync(join(root, 'src', folder), join(root, 'dist', folder), { recursive: true });
  const inCommand = await bundleCommand(join(root, 'dist'));
  // npm makes the command executable only when it installs; `npx vigil` needs it after every build.
  chmodSync(join(root, 'dist', 'bin', 'vigil.js'), 0o755);
  const inConsole = await buildWeb();
  writeFileSync(
    join(root, 'dist', 'bundled.json'),
    JSON.stringify({ command: inCommand.map(nameOf), console: inConsole.map(nameOf) }),
  );
  const packages = [...inCommand, ...runtimePackages(root)].sort((a, b) => (a.name < b.name ? -1 : 1));
  writeFileSync(join(root, 'dist', 'THIRD-PARTY-NOTICES.txt'), formatNotices(packages));
  writeFileSync(join(root, 'dist', '.built'), '');
}

/** As the lock file and the bill of materials name a package. */
function nameOf({ name, version }) {
  return `${name}@${version}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();

// Prints the packages that run, and those that the build contains, as a CycloneDX document.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runtimeEntries } from './thirdParty.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const list = join(root, 'dist', 'bundled.json');
if (!existsSync(list)) {
  console.error('There is no dist/: run `npm run build` first.');
  process.exit(1);
}
/** For npm they serve development alone, because the build contains them. */
const bundled = new Set(Object.values(JSON.parse(readFileSync(list, 'utf8'))).flat());

const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
const text = execFileSync('npm', args, {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const document = JSON.parse(text);
const running = new Set(runtimeEntries(root).map(({ name, version }) => `${name}@${version}`));
const components = document.components.filter(({ 'bom-ref': ref }) => running.has(ref) || bundled.has(ref));
const refs = new Set([document.metadata.component['bom-ref'], ...components.map((each) => each['bom-ref'])]);
const dependencies = document.dependencies.flatMap(({ ref, dependsOn = [] }) =>
  refs.has(ref) ? [{ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }] : [],
);
// npm takes the name of the folder.
document.metadata.component.name = 'vigil';
process.stdout.write(`${JSON.stringify({ ...document, components, dependencies }, null, 2)}\n`);

// Collects the packages that a bundle or a lock file has, with their licences, for notices and the bill of materials.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages whose modules a bundle has, such as `/…/node_modules/preact/dist/preact.mjs`. */
export function packagesOf(moduleIds) {
  const folders = new Set(
    moduleIds.flatMap(
      (id) => /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/?]+)\//.exec(id.replaceAll('\\', '/'))?.[1] ?? [],
    ),
  );
  return readPackages([...folders]);
}

/** The packages that run, as far as this platform has them. */
export function runtimePackages(root) {
  const folders = runtimeEntries(root).map(({ path }) => join(root, path));
  return readPackages(folders.filter((folder) => existsSync(join(folder, 'package.json'))));
}

/** All that the lock file does not mark as for development; `devOptional` is a tool that a package can use. */
export function runtimeEntries(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages).flatMap(([path, { version, dev, devOptional, link }]) =>
    path === '' || dev || devOptional || link
      ? []
      : { path, name: path.split('node_modules/').at(-1), version },
  );
}

export function formatNotices(packages) {
  const parts = packages.map(({ name, version, license, texts }) =>
    [`${name} ${version} (${license})`, ...texts].join('\n\n'),
  );
  return `Vigil contains these packages of third parties.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function readPackages(folders) {
  const found = new Map();
  for (const folder of folders) {
    const { name, version, ...stated } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { license = 'it states no licence', author } = stated;
    found.set(`${name}@${version}`, {
      name,
      version,
      license,
      texts: readTexts(folder, { license, author }),
    });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Some packages only name their licence. */
function readTexts(folder, { license, author }) {
  const names = readdirSync(folder).filter((name) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i.test(name));
  const texts = names.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim());
  const holder = typeof author === 'object' ? author?.name : author;
  return texts.length > 0 ? texts : [`Copyright ${holder ?? 'of its authors'}. Licence: ${license}.`];
}

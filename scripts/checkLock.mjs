// `node scripts/checkLock.mjs [--write]`: package-lock.json has an entry for every optional package of every platform, which `npm ci`
// demands, and names no registry. npm leaves out of the lock what its registry does not serve at that moment; `--write` adds it.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = Object.entries(lock.packages).flatMap(([parentPath, parent]) =>
  Object.entries(parent.optionalDependencies ?? {})
    .filter(
      ([name]) =>
        !lock.packages[`${parentPath}/node_modules/${name}`] && !lock.packages[`node_modules/${name}`],
    )
    .map(([name, version]) => ({ name, version, parent })),
);
if (process.argv.includes('--write')) {
  for (const entry of missing) lock.packages[`node_modules/${entry.name}`] = platformEntry(entry);
  const byPath = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(byPath) }, null, 2)}\n`);
  console.log(`Added ${missing.length} entries to package-lock.json.`);
} else {
  const faults = missing.map(
    ({ name }) => `has no entry for ${name}: run node scripts/checkLock.mjs --write`,
  );
  for (const [path, { resolved }] of Object.entries(lock.packages))
    if (resolved?.startsWith('http')) faults.push(`names a registry at ${path}: remove its "resolved"`);
  for (const fault of faults) console.error(`package-lock.json ${fault}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

/** The entry without its checksum, which npm fills in on the platform that fetches the package. */
function platformEntry({ name, version, parent }) {
  const parts = name.split(/[/-]/);
  const os = parts.find((part) =>
    ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'].includes(part),
  );
  const cpu = parts.findLast((part) => /^(?:amd64|arm|arm64|ia32|ppc64|riscv64|s390x|x64)$/.test(part));
  const libc = { gnu: 'glibc', musl: 'musl' }[parts.at(-1)];
  if (os === undefined || cpu === undefined)
    throw new Error(`Cannot tell the platform of ${name}; add its entry to package-lock.json by hand.`);
  return {
    version,
    cpu: [cpu === 'amd64' ? 'x64' : cpu],
    ...(parent.dev && { dev: true }),
    ...(libc && { libc: [libc] }),
    optional: true,
    os: [os],
  };
}

// `node scripts/releaseNotes.mjs <version>`: prints the part of CHANGELOG.md on a version, for its release.
import { readFileSync } from 'node:fs';

const version = process.argv[2] ?? '';
const parts = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8').split(/^(?=## )/m);
const part = parts.find((each) => each.split('\n')[0].split(/\s/).includes(version));
if (!part) {
  console.error(`CHANGELOG.md has no part on "${version}".`);
  process.exit(1);
}
process.stdout.write(`${part.slice(part.indexOf('\n') + 1).trim()}\n`);

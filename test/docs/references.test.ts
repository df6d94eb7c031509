import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { busiest, leftOut, recommended, watched } from '../../bench/support/detection/watched.ts';
import { commands } from '../../src/bin/commands.ts';
import { detectors } from '../../src/detectors/detectors.ts';
import { findPackage } from '../../src/store/embedded/findPackage.ts';
import { triggers } from '../../src/triggers/triggers.ts';

const root = join(import.meta.dirname, '..', '..');

it('links only to files and headings that exist', async () => {
  const faults: string[] = [];
  for (const document of await allDocuments()) {
    const text = await read(document);
    for (const [, link = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', heading] = link.split('#');
      const target = path === '' ? document : join(dirname(document), path);
      if (!existsSync(join(root, target))) faults.push(`${document} links to ${link}`);
      else if (heading !== undefined && !headings(await read(target)).includes(heading))
        faults.push(`${document} links to ${link}, which has no such heading`);
    }
  }
  expect(faults).toEqual([]);
});

it('names only files of the project that exist', async () => {
  const faults: string[] = [];
  for (const document of await allDocuments())
    for (const [, path = ''] of (await read(document)).matchAll(
      /`((?:src|test|bench|examples|scripts)\/[\w./-]+)`/g,
    ))
      if (document !== 'CHANGELOG.md' && !existsSync(join(root, path))) faults.push(`${document}: ${path}`);
  expect(faults).toEqual([]);
});

it('lists every setting in the reference of configuration', async () => {
  const folder = 'src/runtime/config';
  const sources = await Promise.all(
    (await readdir(join(root, folder))).map((name) => read(join(folder, name))),
  );
  const settings = new Set(
    Array.from(sources.join('').matchAll(/'((?:VIGIL|DATABASE)_[A-Z0-9_]+)'/g), ([, name]) => name),
  );
  expect(settings.size).toBeGreaterThan(25);
  const reference = await read('docs/reference/configuration.md');
  expect([...settings].filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
});

it('lists every command and option in the reference of the command line', async () => {
  const reference = await read('docs/reference/command-line.md');
  const words = commands.flatMap(({ name, options = {} }) => [
    `\`vigil ${name}`,
    ...Object.keys(options).map((option) => `\`--${option}`),
  ]);
  expect(words.filter((word) => !reference.includes(word))).toEqual([]);
});

it('counts the kinds of detectors and triggers as they are', async () => {
  const wrong: string[] = [];
  for (const document of await allDocuments()) {
    if (document === 'CHANGELOG.md') continue;
    const text = (await read(document)).replaceAll(/\s+/g, ' ');
    for (const [words, count] of text.matchAll(/(\d+) kinds of (?:detector|finding)/g))
      if (Number(count) !== detectors.size) wrong.push(`${document}: ${words}`);
    for (const [words, count] of text.matchAll(/(\d+) (?:kinds )?of trigger/g))
      if (Number(count) !== triggers.size) wrong.push(`${document}: ${words}`);
  }
  expect(wrong, `there are ${detectors.size} kinds of detector and ${triggers.size} of trigger`).toEqual([]);
});

it('measures what each kind of detector raises, or says why not', () => {
  const measured = new Set([...watched, ...recommended, ...busiest].map(({ detector }) => detector));
  const missing = [...detectors.keys()].filter((name) => !measured.has(name) && !(name in leftOut));
  expect(missing, 'add them to bench/support/detection/watched.ts').toEqual([]);
  expect(Object.keys(leftOut).filter((name) => measured.has(name) || !detectors.has(name))).toEqual([]);
});

it('names every benchmark where contributors read of them', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
  const names = Object.keys(scripts).filter((name) => name.startsWith('bench:'));
  expect(names.length).toBeGreaterThan(10);
  const contributing = await read('CONTRIBUTING.md');
  expect(names.filter((name) => !contributing.includes(name))).toEqual([]);
});

it('keeps the documents short that grow with every version', async () => {
  const [performance, changelog, architecture] = await Promise.all(
    ['docs/performance.md', 'CHANGELOG.md', 'docs/architecture.md'].map(read),
  );
  const words = (text = '') => text.split(/\s+/).length;
  expect(performance!.split('\n').length, 'lines of performance.md: the last figures, no diary').toBeLessThan(
    182,
  );
  expect(words(changelog), 'words of CHANGELOG.md: shorten older versions').toBeLessThan(4001);
  const [, toAlert = ''] = architecture!.split(/^## Block to alert$/m);
  expect(words(toAlert.split(/^## /m)[0]), 'words of "Block to alert"').toBeLessThan(401);
});

it('describes every endpoint in the rules of the API', async () => {
  const rules = await read('docs/api-spec.md');
  const endpoints = Array.from(
    (await read('docs/reference/api.md')).matchAll(/`\/api\/v1(\/\S+)`/g),
    ([, path]) => path,
  );
  expect(endpoints.length).toBeGreaterThan(150);
  expect(endpoints.filter((path) => !rules.includes(`\`${path}\``))).toEqual([]);
});

async function allDocuments(): Promise<string[]> {
  const docs = await readdir(join(root, 'docs'), { recursive: true });
  const top = (await readdir(root)).filter((name) => name.endsWith('.md'));
  return [...top, ...docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))];
}

function read(path: string): Promise<string> {
  return readFile(join(root, path), 'utf8');
}

/** As the usual viewers of Markdown name them. */
function headings(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it('states the PostgreSQL release that is bundled', async () => {
  const { release } = await findPackage();
  expect(await read('docs/how-to/operations.md')).toContain(`brings PostgreSQL ${release},`);
});

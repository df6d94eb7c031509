import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let site: string;
let pages: Map<string, string>;

beforeAll(() => {
  site = mkdtempSync(join(tmpdir(), 'vigil-site-'));
  execFileSync(process.execPath, [join(root, 'scripts', 'docsSite.mjs'), site]);
  const names = readdirSync(site, { recursive: true, encoding: 'utf8' });
  const html = names.filter((name) => name.endsWith('.html'));
  pages = new Map(html.map((name) => [name, readFileSync(join(site, name), 'utf8')]));
});
afterAll(() => rmSync(site, { recursive: true, force: true }));

it('the site of the documents has a page for each, and no link or picture of it leads nowhere', () => {
  expect([...pages.keys()]).toEqual(expect.arrayContaining(['index.html', 'docs/reference/api.html']));
  const faults: string[] = [];
  for (const [page, text] of pages)
    for (const [, link = ''] of text.matchAll(/ (?:href|src|srcset)="(?![a-z]+:)([^"]+)"/g)) {
      const [path = '', id] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(site, target))) faults.push(`${page} leads to ${link}`);
      else if (id !== undefined && !pages.get(target)?.includes(` id="${id}"`))
        faults.push(`${page} leads to ${link}, which has no such heading`);
    }
  expect(faults).toEqual([]);
});

it('the search of the site leads to headings that there are', () => {
  const { storedFields } = JSON.parse(readFileSync(join(site, 'search.json'), 'utf8'));
  const urls = Object.values<{ url: string }>(storedFields).map(({ url }) => url);
  expect(urls.length).toBeGreaterThan(300);
  const lost = urls.filter((url) => {
    const [page = '', id] = url.split('#');
    return !pages.get(page)?.includes(id === undefined ? '<h1' : ` id="${id}"`);
  });
  expect(lost).toEqual([]);
});

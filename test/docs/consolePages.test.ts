import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error a script without types
import { consoleDocument, consolePages } from '../../scripts/consolePages.mjs';

const listed: readonly { path: string; picture: string }[] = consolePages;
const root = join(import.meta.dirname, '..', '..');

it('shows every page of the console in both themes, in small files that the script makes', async () => {
  const source = await readFile(join(root, 'web', 'src', 'pages.ts'), 'utf8');
  const paths = Array.from(source.matchAll(/\bpath: '([^']+)'/g), ([, path]) => path);
  expect(paths.length).toBeGreaterThan(20);
  expect(new Set(listed.map(({ path }) => path))).toEqual(new Set(paths));
  expect(listed).toHaveLength(paths.length);
  for (const { picture } of listed)
    for (const theme of ['light', 'dark']) {
      const { size } = await stat(join(root, 'docs', 'images', `${picture}-${theme}.webp`));
      expect(size, `${picture}-${theme}`).toBeGreaterThan(5000);
      expect(size, `${picture}-${theme}`).toBeLessThan(150_000);
    }
  expect(await readFile(join(root, 'docs', 'console.md'), 'utf8')).toBe(consoleDocument());
});

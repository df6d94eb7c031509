import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';

export type Bytes = {
  first: number;
  further: { path: string; bytes: number }[];
  /** CodeMirror, which only a script editor reads. */
  editor: number;
};

const paths = [
  '/alerts',
  '/incidents',
  '/projects',
  '/detectors/new',
  '/triggers',
  '/catalogue',
  '/actions',
  '/wallets',
  '/approvals',
  '/destinations',
  '/scores',
  '/licenses',
  '/admin/chains',
];

/** Compressed JavaScript that the first page needs, and what each further page adds to it. */
export async function measureBytes(context: BrowserContext, url: string, folder: string): Promise<Bytes> {
  const sizes = new Map(
    readdirSync(join(folder, 'assets'))
      .filter((name) => name.endsWith('.js.gz'))
      .map((name) => [name.slice(0, -3), statSync(join(folder, 'assets', name)).size]),
  );
  const isEditor = (name: string) => name.startsWith('openEditor');
  const sum = (names: Iterable<string>) => [...names].reduce((all, name) => all + (sizes.get(name) ?? 0), 0);
  const scriptsOf = async (path: string) => {
    const page = await context.newPage();
    const names = new Set<string>();
    page.on('request', (request) => {
      const name = new URL(request.url()).pathname.split('/').at(-1)!;
      if (sizes.has(name)) names.add(name);
    });
    await page.goto(url + path);
    await page
      .getByRole('main')
      .getByRole('heading', { includeHidden: true })
      .first()
      .waitFor({ state: 'attached' });
    // The first frames are done, and what they asked for has come in; the live stream never ends.
    await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(300);
    await page.close();
    return names;
  };
  const first = await scriptsOf('/');
  const further: Bytes['further'] = [];
  for (const path of paths) {
    const added = [...(await scriptsOf(path))].filter((name) => !first.has(name) && !isEditor(name));
    further.push({ path, bytes: sum(added) });
  }
  return { first: sum(first), further, editor: sum([...sizes.keys()].filter(isEditor)) };
}

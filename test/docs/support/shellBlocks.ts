import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** In the order in which a reader goes through them; each continues in the shell of those before. */
export const documents = [
  'README.md',
  'docs/how-to/install.md',
  'docs/tutorial.md',
  'docs/how-to/watching.md',
  'docs/how-to/alerts-and-queries.md',
  'docs/how-to/notifications.md',
  'docs/how-to/actions.md',
  'docs/how-to/guardians.md',
  'docs/how-to/scores.md',
  'docs/how-to/configuration-as-code.md',
  'docs/how-to/operations.md',
  'docs/how-to/security.md',
];

export type ShellBlock = { document: string; mark: string; text: string };

/** The shell blocks of a document. A comment above a block says why the tests do not run it as it stands. */
export async function shellBlocks(document: string): Promise<ShellBlock[]> {
  const text = await readFile(join(root, document), 'utf8');
  return Array.from(text.matchAll(/(?:^<!-- ([^\n]*) -->\n)?^```sh\n(.*?)^```/gms), (match) => ({
    document,
    mark: match[1] ?? (/npm (install|test|start)/.test(match[2] ?? '') ? 'started by the tests' : 'run'),
    text: match[2] ?? '',
  }));
}

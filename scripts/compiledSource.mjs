import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const source = join(root, 'src');
const compiled = join(root, 'dist');

/**
 * Lets the tests take src/ as it is compiled in dist/. Node loads that by itself: Vitest would compile each file once more, and
 * reach everything that one file takes from another through a getter, which together is a tenth of a run.
 */
export const compiledSource = {
  plugins: [
    {
      name: 'compiled-source',
      enforce: 'pre',
      async resolveId(name, importer) {
        if (!name.endsWith('.ts') || name.endsWith('.test.ts')) return null;
        const found = await this.resolve(name, importer, { skipSelf: true });
        return found && (toCompiled(found.id) ?? found);
      },
    },
  ],
  test: { server: { deps: { external: [new RegExp(`^${compiled.replaceAll(/[^\w/]/g, '\\$&')}/`)] } } },
};

function toCompiled(file) {
  if (!file.startsWith(source)) return undefined;
  const script = join(compiled, relative(source, file).replace(/\.ts$/, '.js'));
  return existsSync(script) ? script : undefined;
}

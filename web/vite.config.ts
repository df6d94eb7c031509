import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** The console, as hashed files; `npm run build` says where to and compresses them. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that a server behind a path prefix only has to change the <base> of index.html.
  base: './',
  publicDir: 'public',
  oxc: { jsx: { importSource: 'preact' } },
  plugins: [putThemeFirst(), listPageFiles()],
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // A data: URL would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What several pages use is one file instead of twenty small ones, each of which costs a request.
            { name: 'shared', test: /\/web\/src\/|\/sdk\/|\/src\/api\/|preact/, minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': 'http://127.0.0.1:8080', '/openapi.json': 'http://127.0.0.1:8080' },
  },
});

/** Parts refine what the theme says, so that the styles of the entry stand before those that it shares with pages. */
function putThemeFirst(): Plugin {
  const links = /\s*<link rel="stylesheet"[^>]*>/g;
  return {
    name: 'put-theme-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html
          .replace(links, '')
          .replace('</head>', `${(html.match(links) ?? []).reverse().join('')}\n  </head>`),
    },
  };
}

/** Writes which files each page needs beside those of index.html, so that the server can name them before a script runs. */
function listPageFiles(): Plugin {
  return {
    name: 'list-page-files',
    enforce: 'post',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const filesOf = (fileName: string, found = new Set<string>()): Set<string> => {
        const chunk = chunks.find((each) => each.fileName === fileName);
        if (!chunk || found.has(fileName)) return found;
        found.add(fileName);
        for (const css of chunk.viteMetadata?.importedCss ?? []) found.add(css);
        for (const other of chunk.imports) filesOf(other, found);
        return found;
      };
      const entry = filesOf(chunks.find(({ isEntry }) => isEntry)!.fileName);
      const text = readFileSync(join(import.meta.dirname, 'src', 'pages.ts'), 'utf8');
      const rows = text.matchAll(/ path: '([^']+)'.*?import\('\.(\/pages\/[^']+)'\)/gs);
      const pages = Array.from(rows, ([, path, module]) => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module!));
        if (!chunk) throw new Error(`The page ${path} has no file of its own.`);
        return { path, files: [...filesOf(chunk.fileName)].filter((file) => !entry.has(file)) };
      });
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(pages) });
    },
  };
}

import { defineConfig } from 'vite';

/** The console, as hashed files; `npm run build` says where to and compresses them. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that a server behind a path prefix only has to change the <base> of index.html.
  base: './',
  publicDir: 'public',
  oxc: { jsx: { importSource: 'preact' } },
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // A data: URL would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': 'http://127.0.0.1:8080', '/openapi.json': 'http://127.0.0.1:8080' },
  },
});

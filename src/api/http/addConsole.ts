import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noSuchRoute } from './methodRoutes.ts';
import { asStored, type StoredFile, sendStored, storedFile } from './storedFile.ts';

/** Nothing from outside, nothing inline and nothing evaluated: no text of an alert can become a script. */
const policy =
  "default-src 'none'; base-uri 'self'; connect-src 'self'; font-src 'self'; form-action 'self'; " +
  "frame-ancestors 'none'; manifest-src 'self'; worker-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self'";

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Paths that are no pages of the console. */
const reserved = /^\/\/|^\/(?:api|assets|docs|pages)\/|^\/(?:api|docs|openapi\.json|healthz|readyz|metrics)$/;

const yearSeconds = 365 * 86_400;

/**
 * Serves the console: its compressed files, and its index for every other path outside the API, because the console
 * routes by itself. All files are read once, so no path reaches the file system.
 */
export function addConsole(app: FastifyInstance, folder: URL, methodsOf: (path: string) => string[]): void {
  const files = readFiles(folder);
  const index = files.get('/index.html');
  if (!index) throw new Error(`${fileURLToPath(folder)} has no index.html. Build Vigil again.`);
  const linksFor = createPageLinks(files.get('/pages.json')?.plain);
  files.delete('/pages.json');
  for (const [path, file] of files)
    if (file !== index)
      app.get(path, asStored, async (request, reply) => {
        const isHashed = path.startsWith('/assets/');
        reply.header('cache-control', isHashed ? `public, max-age=${yearSeconds}, immutable` : 'no-cache');
        return sendFile(request, reply, file);
      });
  app.get('/*', {
    ...asStored,
    onRequest: async (request) => {
      if (reserved.test(request.url.replace(/\?.*$/s, ''))) throw noSuchRoute(request, methodsOf);
    },
    handler: async (request, reply) => {
      const links = linksFor(request.url.replace(/\?.*$/s, ''));
      if (links) reply.header('link', links);
      return sendFile(request, reply, index);
    },
  });
}

/**
 * Links to the files of the page at a path, which the browser then reads together with the index. Relative, because a
 * proxy may serve the console below a path of its own.
 */
function createPageLinks(list: Buffer | undefined): (path: string) => string | undefined {
  const rows: { path: string; files: string[] }[] = list ? JSON.parse(list.toString('utf8')) : [];
  const pages = rows.map(({ path, files }) => ({
    pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
    root: path.split('/').slice(2).fill('..').join('/') || '.',
    files,
  }));
  return (path) => {
    const page = pages.find(({ pattern }) => pattern.test(path));
    return page?.files
      .map(
        (file) =>
          `<${page.root}/${file}>; ${file.endsWith('.css') ? 'rel=preload; as=style' : 'rel=modulepreload'}; crossorigin`,
      )
      .join(', ');
  };
}

function readFiles(folder: URL): Map<string, StoredFile> {
  const root = fileURLToPath(folder);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `/${relative(root, join(parentPath, name))}`);
  const contents = new Map(names.map((name) => [name, readFileSync(new URL(`.${name}`, folder))]));
  return new Map(
    names
      .filter((name) => !/\.(br|gz)$/.test(name))
      .map((name) => [
        name,
        storedFile(types[extname(name)] ?? 'application/octet-stream', contents.get(name)!, {
          br: contents.get(`${name}.br`),
          gzip: contents.get(`${name}.gz`),
        }),
      ]),
  );
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: StoredFile): FastifyReply {
  return sendStored(request, reply.header('content-security-policy', policy), file);
}

import Fastify, { type FastifyInstance } from 'fastify';
import { asStored, packFile, type StoredFile, sendStored } from './storedFile.ts';
import { whileChainsStay } from './whileChainsStay.ts';

/** The one style that the bundle of the page writes by itself, by its hash. */
const ownStyle = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/** Nothing from outside, and no upgrade to HTTPS, which would break the page wherever Vigil is served without it. */
const policy =
  "default-src 'none'; base-uri 'none'; connect-src 'self'; font-src 'self' data:; form-action 'self'; " +
  "frame-ancestors 'none'; img-src 'self' data:; script-src 'self'; style-src 'self' " +
  ownStyle;

const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><text x="0" y="30" fill="#fff"
  font-family="sans-serif" font-size="28" font-weight="bold">Vigil</text></svg>`;

/** Headers of the inner server that the outer one does not give by itself. */
const keptHeaders = ['content-security-policy', 'location'];

type Page = { status: number; headers: Record<string, string>; file: StoredFile };

/**
 * Serves the API's page from a separate server, made at first use because it takes a seventh of the start. Its answers
 * are cached, since documents take a tenth of a second each.
 */
export function addDocs(app: FastifyInstance, version: string, readDocument: () => unknown): void {
  let docs: Promise<FastifyInstance> | undefined;
  const pagesOf = whileChainsStay(() => new Map<string, Promise<Page | undefined>>());

  async function read(url: string): Promise<Page | undefined> {
    docs ??= createDocs(version, readDocument);
    const server = await docs;
    const { statusCode: status, headers: given, rawPayload } = await server.inject({ method: 'GET', url });
    if (status >= 500) throw new Error(`The page at /docs failed: ${rawPayload.toString('utf8')}`);
    if (status >= 400) return undefined;
    const headers = Object.fromEntries(
      keptHeaders.flatMap((name) => (given[name] === undefined ? [] : [[name, String(given[name])]])),
    );
    return { status, headers, file: await packFile(String(given['content-type']), rawPayload) };
  }

  async function pageAt(path: string): Promise<Page | undefined> {
    const pages = pagesOf();
    const cached = pages.get(path) ?? read(path);
    pages.set(path, cached);
    try {
      const page = await cached;
      // Of paths that lead nowhere there is no end.
      if (!page) pages.delete(path);
      return page;
    } catch (error) {
      pages.delete(path);
      throw error;
    }
  }

  for (const path of ['/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/static/*'])
    app.get(path, asStored, async (request, reply) => {
      const page = await pageAt(request.url.replace(/\?.*$/s, ''));
      if (!page) return reply.callNotFound();
      const { status, headers, file } = page;
      reply.code(status).headers(headers).header('cache-control', 'no-cache');
      return sendStored(request, reply, file);
    });
  app.addHook('onClose', async () => {
    await (await docs)?.close();
  });
}

async function createDocs(version: string, readDocument: () => unknown): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  const docs = Fastify();
  // Both of its formats are written from what `toJSON` returns; the other members only satisfy its type.
  const info = { title: 'Vigil', version };
  const document = { openapi: '3.1.0', info, paths: {}, toJSON: readDocument };
  await docs.register(swagger, { mode: 'static', specification: { document } });
  await docs.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: policy,
    uiConfig: { docExpansion: 'none', deepLinking: true, tryItOutEnabled: true, persistAuthorization: false },
    theme: { title: 'Vigil API' },
    logo: { type: 'image/svg+xml', content: Buffer.from(logo), href: '/docs', target: '_self' },
  });
  return docs;
}

import Fastify, { type FastifyInstance } from 'fastify';

/** Nothing from outside, and no upgrade to HTTPS, which would break the page wherever Vigil is served without it. */
const policy =
  "default-src 'none'; base-uri 'none'; connect-src 'self'; font-src 'self' data:; form-action 'self'; " +
  "frame-ancestors 'none'; img-src 'self' data:; script-src 'self'; style-src 'self'";

const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><text x="0" y="30" fill="#fff"
  font-family="sans-serif" font-size="28" font-weight="bold">Vigil</text></svg>`;

/** Headers that the outer server gives by itself. */
const ofConnection = new Set(['connection', 'content-length', 'date', 'transfer-encoding']);

/**
 * The page that describes the API, from a server of its own that is made when someone first opens it: what serves it takes a
 * seventh of the time of a start.
 */
export function addDocs(app: FastifyInstance, version: string, readDocument: () => unknown): void {
  let docs: Promise<FastifyInstance> | undefined;
  for (const path of ['/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/static/*'])
    app.get(path, async ({ url, headers }, reply) => {
      docs ??= createDocs(version, readDocument);
      const server = await docs;
      const { statusCode, headers: given, rawPayload } = await server.inject({ method: 'GET', url, headers });
      if (statusCode >= 500) throw new Error(`The page at /docs failed: ${rawPayload.toString('utf8')}`);
      if (statusCode >= 400) return reply.callNotFound();
      for (const [name, value] of Object.entries(given))
        if (!ofConnection.has(name)) reply.header(name, value);
      return reply.code(statusCode).send(rawPayload);
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

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { Problem, problems } from '../../model/errors.ts';
import { findMissingMigrations } from '../../store/records/findMissingMigrations.ts';
import { addConsole } from './addConsole.ts';
import { addAlertPage, addPages } from './addPages.ts';
import type { ServerOptions } from './serverOptions.ts';
import { mayReadMetrics } from './startMetricsServer.ts';
import { toOpenApi } from './toOpenApi.ts';

/** Nothing from outside, and no upgrade to HTTPS, which would break the page wherever Vigil is served without it. */
const docsPolicy =
  "default-src 'none'; base-uri 'none'; connect-src 'self'; font-src 'self' data:; form-action 'self'; " +
  "frame-ancestors 'none'; img-src 'self' data:; script-src 'self'; style-src 'self'";

const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><text x="0" y="30" fill="#fff"
  font-family="sans-serif" font-size="28" font-weight="bold">Vigil</text></svg>`;

/** What operators and readers need, outside of /api/v1 and without a token, but for the one that metrics may have. */
export async function addSystemRoutes(
  app: FastifyInstance,
  options: ServerOptions,
  methodsOf: (path: string) => string[],
): Promise<void> {
  app.get('/healthz', async () => ({ status: 'ok', version: options.version }));
  app.get('/readyz', async (_request, reply) => {
    const missing = await findMissingMigrations(options.services.store);
    const replicas = options.services.replicas?.ages().map((ageMs) => ({ ageMs: ageMs ?? null }));
    if (missing.length === 0) return { status: 'ready', ...(replicas && { replicas }) };
    return reply.code(503).header('retry-after', '2').send({ status: 'migrations missing', missing });
  });
  const { isElsewhere, token } = options.metricsAccess ?? { isElsewhere: false, token: undefined };
  if (!isElsewhere) {
    app.get('/metrics', async (request, reply) => {
      if (!mayReadMetrics(request.headers.authorization, token))
        throw new Problem(
          'unauthenticated',
          'Send the token of VIGIL_METRICS_TOKEN as `Authorization: Bearer <token>`.',
        );
      return reply.type(options.metrics.contentType).send(await options.metrics.text());
    });
  }
  // A process that does not serve the API has nothing to document.
  if (options.endpoints.length > 0) await addDocuments(app, options, methodsOf);
}

async function addDocuments(
  app: FastifyInstance,
  options: ServerOptions,
  methodsOf: (path: string) => string[],
): Promise<void> {
  // Made when it is first read: most starts never need it, and it takes longer than all other routes together.
  let text: string | undefined;
  const documentText = () => {
    text ??= JSON.stringify(toOpenApi(options.endpoints, options.version));
    return text;
  };
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(documentText()),
  );
  addPages(app);
  if (options.consoleFolder) addConsole(app, options.consoleFolder, methodsOf);
  else {
    app.get('/', async (_request, reply) => reply.redirect('/docs'));
    addAlertPage(app);
  }
  app.get('/docs/problem/:code', async (request, reply) => {
    const { code } = request.params as { code: string };
    const page = problemPage(code);
    return page ? reply.type('text/html; charset=utf-8').send(page) : reply.callNotFound();
  });
  // Both of its formats are written from what `toJSON` returns; the other members only satisfy its type.
  const info = { title: 'Vigil', version: options.version };
  const document = { openapi: '3.1.0', info, paths: {}, toJSON: (): unknown => JSON.parse(documentText()) };
  await app.register(swagger, { mode: 'static', specification: { document } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: docsPolicy,
    uiConfig: { docExpansion: 'none', deepLinking: true, tryItOutEnabled: true, persistAuthorization: false },
    theme: { title: 'Vigil API' },
    logo: { type: 'image/svg+xml', content: Buffer.from(logo), href: '/docs', target: '_self' },
  });
}

/** The page behind the `type` of a problem. */
function problemPage(code: string): string | undefined {
  const known = Object.entries(problems).find(([name]) => name === code);
  if (!known) return undefined;
  const [name, { status, title, advice }] = known;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name} – Vigil</title>
<h1>${status} ${title}</h1><p><code>${name}</code></p><p>${advice}</p><p><a href="/docs">All endpoints</a></p></html>`;
}

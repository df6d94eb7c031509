import type { FastifyInstance } from 'fastify';
import { createBriefCache } from '../../lib/createBriefCache.ts';
import { Problem, problems } from '../../model/errors.ts';
import { findMissingMigrations } from '../../store/records/findMissingMigrations.ts';
import { addConsole } from './addConsole.ts';
import { addDocs } from './addDocs.ts';
import { addAlertPage, addPages } from './addPages.ts';
import { openApiDocument } from './openApiDocument.ts';
import type { ServerOptions } from './serverOptions.ts';
import { mayReadMetrics } from './startMetricsServer.ts';
import { asStored, packFile, type StoredFile, sendStored } from './storedFile.ts';
import { whileChainsStay } from './whileChainsStay.ts';

/** Lifetime of cached public answers. */
const metricsTtlMs = 1000;

/** Routes for operators and readers, outside of /api/v1 and without a token, but for the one that metrics may have. */
export function addSystemRoutes(
  app: FastifyInstance,
  options: ServerOptions,
  methodsOf: (path: string) => string[],
): void {
  app.get('/healthz', async () => ({ status: 'ok', version: options.version }));
  app.get('/readyz', async (_request, reply) => {
    const missing = await findMissingMigrations(options.services.store);
    const replicas = options.services.replicas?.ages().map((ageMs) => ({ ageMs: ageMs ?? null }));
    if (missing.length === 0) return { status: 'ready', ...(replicas && { replicas }) };
    return reply.code(503).header('retry-after', '2').send({ status: 'migrations missing', missing });
  });
  const { isElsewhere, token } = options.metricsAccess ?? { isElsewhere: false, token: undefined };
  if (!isElsewhere) {
    const brief = createBriefCache<StoredFile>(metricsTtlMs, 2);
    app.get('/metrics', asStored, async (request, reply) => {
      if (!mayReadMetrics(request.headers.authorization, token))
        throw new Problem(
          'unauthenticated',
          'Send the token of VIGIL_METRICS_TOKEN as `Authorization: Bearer <token>`.',
        );
      const isOpen = (request.headers.accept ?? '').includes('application/openmetrics-text');
      const read = async () => {
        const { contentType, text } = await options.metrics.read(request.headers.accept);
        return packFile(contentType, text);
      };
      // The monitoring that has the token gets figures of the very moment.
      return sendStored(request, reply, await (token ? read() : brief(String(isOpen), read)));
    });
  }
  // A process that does not serve the API has nothing to document.
  if (options.endpoints.length > 0) addDocuments(app, options, methodsOf);
}

function addDocuments(
  app: FastifyInstance,
  options: ServerOptions,
  methodsOf: (path: string) => string[],
): void {
  // Made when it is first read: most starts never need it, and it takes longer than all other routes together.
  const documentText = whileChainsStay(() =>
    JSON.stringify(openApiDocument(options.endpoints, options.webhooks ?? [], options.version)),
  );
  const file = whileChainsStay(() => packFile('application/json; charset=utf-8', documentText()));
  app.get('/openapi.json', asStored, async (request, reply) =>
    sendStored(request, reply.header('cache-control', 'no-cache'), await file()),
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
  addDocs(app, options.version, () => JSON.parse(documentText()));
}

/** The page behind the `type` of a problem. */
function problemPage(code: string): string | undefined {
  const problem = Object.entries(problems).find(([name]) => name === code);
  if (!problem) return undefined;
  const [name, { status, title, advice }] = problem;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name} – Vigil</title>
<h1>${status} ${title}</h1><p><code>${name}</code></p><p>${advice}</p><p><a href="/docs">All endpoints</a></p></html>`;
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { groupBy } from '../../lib/groupBy.ts';
import { Problem } from '../../model/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { apiPrefix, routeOf } from './route.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route says which methods a path has, and is none of them. */
    isAboutMethods?: true;
  }
}

/** Collects the routes as they are added; finds the methods of a path, none where there is no such path. */
export function collectMethods(app: FastifyInstance): (path: string) => string[] {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method, config }) => {
    // The preflight of CORS is a route of every path.
    if (url === '*' || url === '/*' || config?.isAboutMethods) return;
    const route = routes.get(url) ?? { pattern: toPattern(url), methods: new Set<string>() };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(url, route);
  });
  return (path) => {
    const exact = routes.get(path);
    const matches = exact ? [exact] : [...routes.values()].filter(({ pattern }) => pattern.test(path));
    const methods = new Set(matches.flatMap((route) => [...route.methods]));
    if (methods.size > 0 && path.startsWith(`${apiPrefix}/`)) methods.add('OPTIONS');
    return [...methods];
  };
}

/** The routes of methods that an endpoint's path does not have: OPTIONS, and 405 where another path would match. */
export function addMethodRoutes(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  methodsOf: (path: string) => string[],
): void {
  if (endpoints.length === 0) return;
  const methods = new Map<string, string[]>();
  for (const [url, routed] of groupBy(endpoints, routeOf))
    methods.set(
      url,
      routed.map(({ method }) => method),
    );
  answerOptions(app, methodsOf);
  refuseShadowed(app, methods, methodsOf);
}

/** A plain OPTIONS lists the methods of the path; a route for each path would take a third of the time to add them all. */
function answerOptions(app: FastifyInstance, methodsOf: (path: string) => string[]): void {
  app.route({
    method: 'OPTIONS',
    url: `${apiPrefix}/*`,
    config: { isAboutMethods: true },
    handler: async (request, reply) => {
      const methods = methodsOf(pathOf(request));
      if (methods.length === 0) throw noSuchRoute(request, methodsOf);
      return reply.header('allow', methods.join(', ')).code(204).send();
    },
  });
}

/** Without these `GET /project/search` would be read as `GET /project/{id}`. */
function refuseShadowed(
  app: FastifyInstance,
  methodsByUrl: ReadonlyMap<string, string[]>,
  methodsOf: (path: string) => string[],
): void {
  for (const url of methodsByUrl.keys()) {
    if (url.includes(':')) continue;
    const shadowed = methodsByUrl.get(`${url.slice(0, url.lastIndexOf('/'))}/:id`) ?? [];
    const methods = shadowed.filter((method) => !methodsOf(url).includes(method));
    if (methods.length === 0) continue;
    const refuse = async (request: FastifyRequest): Promise<never> => {
      throw noSuchRoute(request, methodsOf);
    };
    app.route({ method: methods, url, config: { isAboutMethods: true }, onRequest: refuse, handler: refuse });
  }
}

/** 405 with the methods that the path has, else 404. */
export function noSuchRoute(request: FastifyRequest, methodsOf: (path: string) => string[]): Problem {
  const methods = methodsOf(pathOf(request));
  if (methods.length === 0)
    return new Problem('unknown-path', 'There is no such path; /docs lists every endpoint.');
  return new Problem(
    'method-not-allowed',
    `${request.method} is not a method of this path, which has ${methods.join(', ')}.`,
    {
      allow: methods.join(', '),
    },
  );
}

function pathOf({ url }: FastifyRequest): string {
  return url.replace(/\?.*$/s, '');
}

function toPattern(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replace(/[^\w/]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}

import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route only refuses a method that the path does not have. */
    isRefusal?: true;
  }
}

/** Collects the routes as they are added; finds the methods of a path, none where there is no such path. */
export function collectMethods(app: FastifyInstance): (path: string) => string[] {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method, config }) => {
    // The preflight of CORS is a route of every path.
    if (url === '*' || url === '/*' || config?.isRefusal) return;
    const route = routes.get(url) ?? { pattern: toPattern(url), methods: new Set<string>() };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(url, route);
  });
  return (path) => {
    const own = routes.get(path);
    if (own) return [...own.methods];
    const found = [...routes.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))];
  };
}

function toPattern(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replace(/[^\w/]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}

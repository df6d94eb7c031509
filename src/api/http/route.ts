export const apiPrefix = '/api/v1';

/** The path as the documents write it: /api/v1/wallet/{id}. */
export function pathOf(endpoint: { path: string }): string {
  return `${apiPrefix}${endpoint.path}`;
}

/** The path as the router writes it: /api/v1/wallet/:id. */
export function routeOf(endpoint: { path: string }): string {
  return pathOf(endpoint).replace(/\{(\w+)\}/g, ':$1');
}

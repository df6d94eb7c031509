import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Lets pages of these origins call the API and read the headers that matter. */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'If-Match',
      'If-None-Match',
      'Idempotency-Key',
      'X-Request-Id',
    ],
    exposedHeaders: [
      'ETag',
      'Location',
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'Idempotency-Replayed',
      'X-Invite-Accept-Link',
      'X-Webhook-Secret',
      'X-Export-Count',
      'X-Export-Truncated',
      'X-Data-Age-Ms',
    ],
    maxAge: 600,
  });
}

const yearSeconds = 365 * 86_400;

/** Headers of every answer; behind TLS also HSTS. */
export function securityHeaders(requestId: string, publicUrl: string) {
  return {
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${yearSeconds}` } : {}),
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  };
}

const isOwnAllowed = new Set(['content-security-policy', 'cache-control']);

export function addSecurityHeaders(reply: FastifyReply, publicUrl: string): void {
  for (const [name, value] of Object.entries(securityHeaders(reply.request.id, publicUrl)))
    if (!isOwnAllowed.has(name) || !reply.hasHeader(name)) reply.header(name, value);
}

/** RFC 9745 and RFC 8594. */
export function addDeprecation(reply: FastifyReply, { since, sunset }: { since: Date; sunset: Date }): void {
  reply
    .header('deprecation', `@${Math.floor(since.getTime() / 1000)}`)
    .header('sunset', sunset.toUTCString());
}

import type { TSchema } from 'typebox';
import type { Endpoint } from './endpoint.ts';
import { nameSchemas } from './nameSchemas.ts';
import { toOpenApi } from './toOpenApi.ts';

/** A message to webhooks of users. */
export type Webhook = { type: string; words: string; body: TSchema };

/** The content of `/openapi.json`: the endpoints, the webhooks that Vigil sends, and a name for every schema. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  webhooks: readonly Webhook[],
  version: string,
): Record<string, unknown> {
  const sent = webhooks.map(({ type, words, body }) => [
    type,
    {
      post: {
        tags: ['Destinations'],
        operationId: `${camel(type)}Webhook`,
        summary: words,
        description: 'Signed as Standard Webhooks 1.0.0 says. Sent again until the answer is 2xx.',
        security: [],
        parameters: signatureHeaders,
        requestBody: { required: true, content: { 'application/json': { schema: body } } },
        responses: {
          204: { description: 'Received; any 2xx will do.' },
          410: { description: 'Send no more.' },
        },
      },
    },
  ]);
  return nameSchemas({ ...toOpenApi(endpoints, version), webhooks: Object.fromEntries(sent) });
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});
const signatureHeaders = [
  header('webhook-id', 'The same in every attempt, so that a message is taken once.'),
  header('webhook-timestamp', 'When it was sent, in seconds since 1970.'),
  header('webhook-signature', 'HMAC-SHA256 of id, timestamp and body; several while a secret is rotated.'),
];

/** `alert.detector.raised` as `alertDetectorRaised`. */
function camel(type: string): string {
  return type.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
}

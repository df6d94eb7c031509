import { type Platform, type PlatformAnswer, type PlatformRequest, startPlatform } from './startPlatform.ts';
import type { Json } from './startTestApi.ts';

export type Discord = Platform & {
  webhookUrl: string;
  /** The messages of the channel, by their id. */
  messages: Map<string, Json>;
};

/** A stand-in for the webhook of a Discord channel: it holds to the limits of embeds that the documentation states. */
export async function startDiscord(): Promise<Discord> {
  const messages = new Map<string, Json>();
  let next = 1_000_000_000_000_000_000n;
  const path = '/api/webhooks/12345/discord-secret-token';
  const judge = (request: PlatformRequest): PlatformAnswer => {
    const { method, body, query } = request;
    if (!request.path.startsWith(path))
      return { status: 404, body: { message: 'Unknown Webhook', code: 10015 } };
    const fault = faultOf(body);
    if (fault) return { status: 400, body: { message: 'Invalid Form Body', code: 50035, errors: fault } };
    if (method === 'POST' && request.path === path) {
      const id = String(next++);
      messages.set(id, body);
      return query.get('wait') === 'true' ? { status: 200, body: { id, channel_id: '7' } } : { status: 204 };
    }
    const id = /^\/messages\/(\d+)$/.exec(request.path.slice(path.length))?.[1];
    if (method !== 'PATCH' || id === undefined) return { status: 405 };
    if (!messages.has(id)) return { status: 404, body: { message: 'Unknown Message', code: 10008 } };
    messages.set(id, body);
    return { status: 200, body: { id } };
  };
  const platform = await startPlatform(judge);
  return { ...platform, webhookUrl: `${platform.url}${path}`, messages };
}

const fits = (text: unknown, max: number) =>
  typeof text === 'string' && text.trim() !== '' && text.length <= max;

function faultOf(body: Json): string | undefined {
  if (typeof body !== 'object' || body === null) return 'not JSON';
  const { content, embeds = [] } = body;
  if (content !== undefined && !fits(content, 2000)) return 'content';
  if (content === undefined && embeds.length === 0) return 'empty message';
  if (embeds.length > 10) return 'too many embeds';
  let all = 0;
  for (const { title, description, fields = [], footer } of embeds) {
    if (title !== undefined && !fits(title, 256)) return 'title';
    if (description !== undefined && !fits(description, 4096)) return 'description';
    if (fields.length > 25) return 'too many fields';
    if (!fields.every((field: Json) => fits(field.name, 256) && fits(field.value, 1024))) return 'field';
    if (footer !== undefined && !fits(footer.text, 2048)) return 'footer';
    all += [title, description, footer?.text, ...fields.flatMap((field: Json) => [field.name, field.value])]
      .map((text) => text?.length ?? 0)
      .reduce((sum, length) => sum + length, 0);
  }
  return all > 6000 ? 'embeds longer than 6000' : undefined;
}

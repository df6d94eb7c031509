import { type Platform, type PlatformRequest, startPlatform } from './startPlatform.ts';
import type { Json } from './startTestApi.ts';

/** A stand-in for the webhook of a Teams workflow: it checks the card as its documentation describes it. */
export async function startTeams(): Promise<Platform & { webhookUrl: string }> {
  const platform = await startPlatform((request) => {
    const fault = faultOf(request);
    return fault
      ? { status: 400, body: { error: { code: 'InvalidRequestContent', message: fault } } }
      : { status: 202 };
  });
  const path = '/workflows/0a1b/triggers/manual/paths/invoke';
  return {
    ...platform,
    webhookUrl: `${platform.url}${path}?api-version=2016-06-01&sig=teams-secret-signature`,
  };
}

function faultOf({ method, query, text, body }: PlatformRequest): string | undefined {
  if (method !== 'POST' || query.get('sig') !== 'teams-secret-signature') return 'signature';
  if (Buffer.byteLength(text) > 28 * 1024) return 'larger than 28 KB';
  const attachment = body?.attachments?.[0];
  if (body?.type !== 'message' || body.attachments.length !== 1) return 'one attachment is expected';
  if (attachment.contentType !== 'application/vnd.microsoft.card.adaptive') return 'content type';
  const card = attachment.content;
  if (card?.type !== 'AdaptiveCard' || !/^1\.[0-5]$/.test(card.version)) return 'not an adaptive card';
  if (!Array.isArray(card.body) || card.body.length === 0) return 'an empty card';
  if (!card.body.every(isElement)) return 'unknown element';
  return (card.actions ?? []).every(isAction) ? undefined : 'unknown action';
}

function isElement({ type, inlines }: Json): boolean {
  return (
    type === 'RichTextBlock' &&
    inlines.length > 0 &&
    inlines.every((run: Json) => run.type === 'TextRun' && typeof run.text === 'string' && run.text !== '')
  );
}

function isAction({ type, url, title }: Json): boolean {
  return type === 'Action.OpenUrl' && /^https?:/.test(url) && typeof title === 'string';
}

import { isRecord } from '../../lib/isRecord.ts';
import type { Severity } from '../../model/alert.ts';
import type { EarlierMessage, Message, Target } from '../../model/notification.ts';
import { Text } from '../../model/schema.ts';
import { defineKind, type KindResponse, type MessageRequest } from '../destinationKind.ts';
import { platformOutcome } from '../platformOutcome.ts';
import { digestStory } from '../texts/digestStory.ts';
import { type Story, severityMark } from '../texts/story.ts';
import { uriBelow } from '../uriBelow.ts';

/** Limits of an embed, and of all its texts together. */
const limits = { title: 256, description: 4096, name: 256, value: 1024, footer: 2048, fields: 25, all: 6000 };

const colours: Readonly<Record<Severity, number>> = {
  INFO: 0x4b5563,
  LOW: 0x1d6fa5,
  MEDIUM: 0xa15c00,
  HIGH: 0xc2410c,
  CRITICAL: 0xb91c1c,
};

/** Discord, by the webhook of a channel. */
export const discord = defineKind({
  title: 'Discord',
  about:
    'In the settings of the channel choose Integrations and Webhooks, make a webhook, and paste its address here. It is kept sealed.',
  works:
    'posts an embed to the webhook of a channel, whose address is sealed. The message about an incident grows with it',
  operator: [],
  readers: 'people',
  address: { type: 'settings', named: 'webhookUrl', uriOf: ({ webhookUrl }) => String(webhookUrl) },
  members: {},
  settings: {
    webhookUrl: {
      schema: Text('Address of the webhook.', 'https://discord.com/api/webhooks/1/discord-example-token', {
        max: 2000,
      }),
      isRequired: true,
    },
  },
  edits: true,
  transport: 'request',
  readsBody: true,
  request: (target: Target, messages: readonly Message[]): MessageRequest =>
    toRequest('POST', target, '', digestStory(messages)),
  edit: (target: Target, { ref, grown }: EarlierMessage) =>
    grown && /^\d{1,30}$/.test(ref)
      ? toRequest('PATCH', target, `/messages/${ref}`, digestStory(grown.messages, grown.total))
      : undefined,
  refOf: ({ text }: KindResponse) => {
    const id = memberOf(text, 'id');
    return typeof id === 'string' ? id : undefined;
  },
  outcome: platformOutcome('Discord', {
    gone: [401, 404],
    waitMs: ({ text }) => {
      const seconds = memberOf(text, 'retry_after');
      return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
    },
  }),
});

function memberOf(text: string, name: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body[name] : undefined;
  } catch {
    return undefined;
  }
}

function toRequest(method: 'POST' | 'PATCH', target: Target, path: string, story: Story): MessageRequest {
  return {
    method,
    uri: toUri(String(target.settings.webhookUrl), path),
    headers: { 'content-type': 'application/json' },
    // Nothing in a message may call anyone.
    body: JSON.stringify({ embeds: [toEmbed(story)], allowed_mentions: { parse: [] } }),
  };
}

/** `wait` makes Discord answer with the message, whose id an edit needs. */
function toUri(webhookUrl: string, path: string): string {
  const below = uriBelow(webhookUrl, path);
  if (!URL.canParse(below)) return below;
  const url = new URL(below);
  url.searchParams.set('wait', 'true');
  return url.href;
}

function toEmbed(story: Story) {
  const mark = story.severity ? `${severityMark[story.severity]} ` : '';
  const links = story.links.map(({ label, url }) => `[${plain(label)}](${url})`).join(' · ');
  const items = story.items.map(
    ({ title, severity, lead }) =>
      `${severity ? severityMark[severity] : '•'} ${plain(title)}${lead ? `: ${plain(lead)}` : ''}`,
  );
  const ending = story.more > 0 ? [`… and ${story.more} more`] : [];
  const title = cut(plain(`${mark}${story.title}`), limits.title);
  const footer = cut(story.footer, limits.footer);
  const fields = story.facts.slice(0, limits.fields).map(({ name, value }) => ({
    name: cut(plain(name), limits.name) || '–',
    value: cut(plain(value), limits.value) || '–',
    inline: value.length <= 40,
  }));
  let left = limits.all - title.length - footer.length;
  const fitting = fields.filter(({ name, value }) => {
    left -= name.length + value.length;
    return left >= links.length + 200;
  });
  const used = fitting.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  const room =
    Math.min(limits.description, limits.all - title.length - footer.length - used) - links.length - 2;
  const text = takeLines([...(story.lead ? plain(story.lead).split('\n') : []), ...items, ...ending], room);
  return {
    title,
    description: [text, links].filter(Boolean).join('\n\n') || '–',
    ...(story.severity ? { color: colours[story.severity] } : {}),
    fields: fitting,
    footer: { text: footer },
  };
}

/** Whole lines, so that no mark of an escape or a link is torn. */
function takeLines(lines: readonly string[], room: number): string {
  const taken: string[] = [];
  let left = room;
  for (const line of lines) {
    const piece = cut(line, 1500);
    left -= piece.length + 1;
    if (left < 20) return [...taken, '… shortened'].join('\n');
    taken.push(piece);
  }
  return taken.join('\n');
}

/** The marks of Discord's markup, each as itself. */
function plain(text: string): string {
  return text.replace(/[\\*_~`|>#()[\]<@-]/g, '\\$&');
}

/** Cuts neither through a character nor behind the mark that escapes the next one. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/(\p{Cs}|\\)$/u, '')}…`;
}

import { cleanLine, cleanText } from './clean.ts';
import { type Link, type Story, severityMark } from './story.ts';

/**
 * Blocks of the workplace chat. Text of tenants and chains goes into `plain_text`, where markup, mentions and links have no
 * effect; only our own links use markup.
 */
export function toMessengerBBlocks(story: Story): Record<string, unknown> {
  const mark = story.severity ? `${severityMark[story.severity]} ` : '';
  const links = story.links
    .filter(({ isAct }) => !isAct)
    .map(({ label, url }) => `<${escapeAngles(url)}|${label}>`);
  const buttons = story.links.filter(({ isAct }) => isAct);
  const facts = story.facts.slice(0, 20);
  const blocks = [
    { type: 'header', text: plain(cleanLine(`${mark}${story.title}`, 150)) },
    ...(story.lead ? [{ type: 'section', text: plain(cleanText(story.lead, 2900)) }] : []),
    ...chunks(facts, 10).map((some) => ({
      type: 'section',
      fields: some.map(({ name, value }) => plain(`${name}\n${value}`)),
    })),
    ...story.items.map(({ title, severity, lead, link }) => ({
      type: 'section',
      text: plain(`${severity ? `${severityMark[severity]} ` : ''}${title}${lead ? `\n${lead}` : ''}`),
      ...(link ? { accessory: { type: 'button', text: plain('Open'), url: link, action_id: 'open' } } : {}),
    })),
    ...(story.more > 0 ? [context(`… and ${story.more} more`)] : []),
    ...(links.length > 0
      ? [{ type: 'section', text: { type: 'mrkdwn', text: links.join('   '), verbatim: true } }]
      : []),
    ...(buttons.length > 0 ? [{ type: 'actions', elements: buttons.map(toButton) }] : []),
    context(story.footer),
  ];
  // The text appears in notifications and where blocks are not supported.
  return { text: escapeAngles(`${mark}${story.title}`), blocks, unfurl_links: false, unfurl_media: false };
}

/** A button that opens a page; the chat tells no one that it was pressed. */
function toButton({ label, url }: Link, index: number) {
  return { type: 'button', text: plain(label), url, action_id: `act-${index}` };
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false };
}

function context(text: string) {
  return { type: 'context', elements: [plain(text)] };
}

/** The three characters by which the chat knows its own markup; without them a text can neither link nor mention anyone. */
function escapeAngles(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

import { escapeMarkup } from './clean.ts';
import { type Story, severityMark } from './story.ts';

/** The messenger accepts 4096 characters, markup not counted. */
const limit = 4000;

/** A line with its markup, and its length without. */
type Line = { markup: string; length: number };

/**
 * In the messenger's HTML dialect. Too long texts lose whole lines, so that no tag stays open. Values are set as code,
 * in which the messenger creates no links or mentions.
 */
export function toMessengerAText(story: Story): string {
  const mark = story.severity ? `${severityMark[story.severity]} ` : '';
  const lines: Line[] = [
    { markup: `${mark}<b>${escapeMarkup(story.title)}</b>`, length: mark.length + story.title.length },
    ...story.lead.split('\n').map(plain),
    blank,
    ...story.facts.map(({ name, value }) => ({
      markup: `${escapeMarkup(name)}: <code>${escapeMarkup(value)}</code>`,
      length: name.length + value.length + 2,
    })),
    ...story.items.flatMap(({ title, severity, link }) => {
      const text = `${severity ? `${severityMark[severity]} ` : '• '}${title}`;
      return link ? anchor(text, link) : plain(text);
    }),
  ];
  const links = story.links.map(({ label, url }) => anchor(label, url));
  const spare = 40 + links.reduce((sum, { length }) => sum + length + 1, 0);
  const shownLines = takeWithin(lines, limit - spare);
  const hiddenLines = story.more + (shownLines.length < lines.length ? lines.length - shownLines.length : 0);
  const end =
    hiddenLines > 0 ? [plain(story.items.length > 0 ? `… and ${hiddenLines} more` : '… shortened')] : [];
  const all = [...shownLines, ...end, ...(links.length > 0 ? [blank, ...links] : [])];
  return all
    .map(({ markup }) => markup)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const blank: Line = { markup: '', length: 0 };

function plain(text: string): Line {
  return { markup: escapeMarkup(text), length: text.length };
}

function anchor(label: string, url: string): Line {
  return { markup: `<a href="${escapeMarkup(url)}">${escapeMarkup(label)}</a>`, length: label.length };
}

function takeWithin(lines: readonly Line[], budget: number): Line[] {
  let used = 0;
  const end = lines.findIndex(({ length }) => {
    used += length + 1;
    return used > budget;
  });
  return lines.slice(0, end < 0 ? undefined : end);
}

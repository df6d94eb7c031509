import type { Story } from './story.ts';

export function toPlainText(story: Story): string {
  const width = Math.max(0, ...story.facts.map(({ name }) => name.length)) + 2;
  const facts = story.facts.map(({ name, value }) => `${`${name}:`.padEnd(width)}${value}`);
  const items = story.items.map(({ title, lead, link }) =>
    [`* ${title}`, ...[lead, link].filter(Boolean).map((line) => `  ${line}`)].join('\n'),
  );
  const links = story.links.map(({ label, url }) => `${label}: ${url}`);
  const sections = [
    story.title,
    story.lead,
    facts.join('\n'),
    items.join('\n\n'),
    story.more > 0 ? `… and ${story.more} more.` : '',
    links.join('\n'),
    `-- \n${story.footer}`,
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

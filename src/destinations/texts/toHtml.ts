import type { Severity } from '../../model/alert.ts';
import { escapeMarkup } from './clean.ts';
import type { Story } from './story.ts';

/** Backgrounds for white text; everything else uses the reader's own colours, which works in dark mode too. */
const colours: Record<Severity, string> = {
  INFO: '#4b5563',
  LOW: '#1d6fa5',
  MEDIUM: '#a15c00',
  HIGH: '#c2410c',
  CRITICAL: '#b91c1c',
};

/** A mail as HTML: inline styles only, and no external resources. */
export function toHtml(story: Story): string {
  const facts = story.facts.map(
    ({ name, value }) =>
      `<tr><td style="padding:2px 16px 2px 0;opacity:.7;vertical-align:top">${escapeMarkup(name)}</td>` +
      `<td style="padding:2px 0;word-break:break-word">${escapeMarkup(value)}</td></tr>`,
  );
  const items = story.items.map(
    ({ title, severity, lead, link }) =>
      `<li style="margin:0 0 12px;padding-left:10px;list-style:none;border-left:4px solid ${severity ? colours[severity] : '#888888'}">` +
      `<strong>${escapeMarkup(title)}</strong>${lead ? `<br>${escapeMarkup(lead)}` : ''}` +
      `${link ? `<br>${anchor(link, 'Open')}` : ''}</li>`,
  );
  const links = story.links.map(({ label, url }) => anchor(url, label));
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
    `<title>${escapeMarkup(story.title)}</title></head>`,
    '<body style="margin:0;padding:24px;font:15px/1.5 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif">',
    '<div style="max-width:640px">',
    story.severity ? badge(story.severity) : '',
    `<h1 style="font-size:20px;line-height:1.3;margin:8px 0 16px">${escapeMarkup(story.title)}</h1>`,
    story.lead ? `<p style="margin:0 0 16px">${escapeMarkup(story.lead).replaceAll('\n', '<br>')}</p>` : '',
    facts.length > 0
      ? `<table style="border-collapse:collapse;margin:0 0 16px">${facts.join('')}</table>`
      : '',
    items.length > 0 ? `<ul style="margin:0 0 16px;padding:0">${items.join('')}</ul>` : '',
    story.more > 0 ? `<p style="margin:0 0 16px">… and ${story.more} more.</p>` : '',
    links.length > 0 ? `<p style="margin:0 0 16px">${links.join(' &nbsp; ')}</p>` : '',
    `<p style="margin:24px 0 0;font-size:12px;opacity:.7">${escapeMarkup(story.footer)}</p>`,
    '</div></body></html>',
  ].join('');
}

function badge(severity: Severity): string {
  return `<span style="display:inline-block;padding:2px 10px;border-radius:10px;font-size:12px;font-weight:bold;color:#ffffff;background-color:${colours[severity]}">${severity}</span>`;
}

function anchor(url: string, label: string): string {
  return `<a href="${escapeMarkup(url)}" style="color:inherit;text-decoration:underline">${escapeMarkup(label)}</a>`;
}

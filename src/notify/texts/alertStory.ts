import { isRecord } from '../../lib/isRecord.ts';
import { cleanLink, cleanText } from './clean.ts';
import { type Data, lineAt, memberAt, severityIn, toLine, toTime } from './readData.ts';
import type { Fact, Link, Story } from './story.ts';

type AlertStory = Pick<Story, 'title' | 'severity' | 'lead' | 'facts' | 'links'>;

/** The finding, its place, severity, time and origin. */
export function alertStory(prefix: string, first: string, data: Data): AlertStory {
  const severity = severityIn(data);
  const label = prefix || (severity ? `[${severity}] ` : '');
  return {
    title: `${label}${lineAt(data, 'name') || 'Alert'}${toLocation(data)}`,
    ...(severity ? { severity } : {}),
    lead: cleanText([first, toText(data.message)].filter(Boolean).join('\n'), 1500),
    facts: [...whereAndWhen(data), ...evidence(data)],
    links: links(data),
  };
}

export function actionStory(what: string, data: Data): AlertStory {
  const severity = severityIn(data);
  const name = lineAt(data, 'action', 'name') || lineAt(data, 'name');
  return {
    title: `${what}${name ? `: ${name}` : ''}${toLocation(data)}`,
    ...(severity ? { severity } : {}),
    lead: cleanText([toText(data.message), toText(data.error)].filter(Boolean).join('\n'), 1500),
    facts: [...whereAndWhen(data), ...evidence(data)],
    links: links(data),
  };
}

function toLocation(data: Data): string {
  const contract = lineAt(data, 'contract', 'name');
  const chain = chainOf(data);
  return `${contract ? ` · ${contract}` : ''}${chain ? ` on ${chain}` : ''}`;
}

function chainOf(data: Data): string {
  return lineAt(data, 'chainUid') || lineAt(data, 'contract', 'chainUid');
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function whereAndWhen(data: Data): Fact[] {
  const wallet = [lineAt(data, 'walletName'), lineAt(data, 'walletAddress')].filter(Boolean).join(' ');
  const tags = Array.isArray(data.tags) ? data.tags.map((tag) => toLine(tag, 50)).join(', ') : '';
  return [
    { name: 'Severity', value: lineAt(data, 'severity') },
    { name: 'Contract', value: lineAt(data, 'contract', 'name') },
    { name: 'Address', value: lineAt(data, 'contract', 'address') },
    { name: 'Chain', value: chainOf(data) },
    { name: 'Project', value: lineAt(data, 'project', 'name') },
    { name: 'When', value: toTime(data.timestamp) },
    { name: 'Transaction', value: lineAt(data, 'txHash') },
    { name: 'Block', value: lineAt(data, 'blockNumber') },
    { name: 'Wallet', value: wallet },
    { name: 'Tags', value: toLine(tags, 200) },
  ].filter(({ value }) => value !== '');
}

/** The first members of the finding; the alert page shows the rest. */
function evidence(data: Data): Fact[] {
  const meta = memberAt(data, 'meta');
  if (!isRecord(meta)) return [];
  return Object.entries(meta)
    .map(([name, value]) => ({ name: toLine(name, 40), value: toLine(value, 200) }))
    .filter(({ name, value }) => name !== '' && value !== '')
    .slice(0, 10);
}

const labels = { alert: 'Open the alert', explorer: 'Open in the explorer' } as const;

function links(data: Data): Link[] {
  return (['alert', 'explorer'] as const).flatMap((name) => {
    const url = cleanLink(memberAt(data, 'links', name));
    return url ? [{ label: labels[name], url }] : [];
  });
}

import { harmless } from '../../lib/harmless.ts';
import { isRecord } from '../../lib/isRecord.ts';
import { keysOf } from '../../lib/keysOf.ts';
import { showValue } from '../../lib/showValue.ts';
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
    facts: [...(prefix ? [] : advice(data)), ...whereAndWhen(data), ...evidence(data)],
    links: links(data),
  };
}

/** Not of what is retracted or resolved. */
function advice(data: Data): Fact[] {
  const value = toLine(data.nextStep, 500);
  return value ? [{ name: 'What to do next', value }] : [];
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
    .filter(([name, value]) => !isRawAmount(name, value))
    .map(([name, value]) => ({ name: harmless(name, 40), value: toEvidence(value) }))
    .filter(({ name, value }) => name !== '' && value !== '')
    .slice(0, 10);
}

/** In the smallest unit of a token: the message has it in whole ones, and the alert page shows it. */
function isRawAmount(name: string, value: unknown): boolean {
  return /^raw[A-Z]/.test(name) || /^-?\d{12,}$/.test(typeof value === 'string' ? value : '');
}

/** Evidence is as the chain has it, so that whatever shows it must find no link or mention in it. */
function toEvidence(value: unknown): string {
  if (value === null || value === undefined) return '';
  return isTime(value) ? toTime(value) : showValue(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && value > 1e12 && value < 1e13;
}

const labels = {
  alert: 'Open the alert',
  acknowledge: 'Acknowledge',
  resolve: 'Resolve',
  explorer: 'Open in the explorer',
} as const;

function links(data: Data): Link[] {
  return keysOf(labels).flatMap((name) => {
    const url = cleanLink(memberAt(data, 'links', name));
    return url ? [{ label: labels[name], url }] : [];
  });
}

import { harmless } from '../../lib/harmless.ts';
import { isRecord } from '../../lib/isRecord.ts';
import { keysOf } from '../../lib/keysOf.ts';
import { readEvidence } from '../../model/evidenceReadings.ts';
import { cleanLink, cleanText } from './clean.ts';
import { type Data, lineAt, memberAt, severityIn, toLine, toTime } from './readData.ts';
import { groupDigits, showEvidence } from './showEvidence.ts';
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
  const value = toLine(data.nextSteps, 1000) || toLine(data.nextStep, 500);
  return [...call(data), ...(value ? [{ name: 'What to do next', value }] : [])];
}

/** The step of an escalation chain by which someone is called. */
function call(data: Data): Fact[] {
  const chain = lineAt(data, 'escalation', 'chain');
  if (!chain) return [];
  const [step, steps, round, calls] = ['step', 'steps', 'round', 'calls'].map((name) =>
    lineAt(data, 'escalation', name),
  );
  const again = Number(round) > 1 ? `, round ${round}` : '';
  return [
    {
      name: 'You are called',
      value: `${calls ? `${calls}, by ` : ''}step ${step} of ${steps} of ${chain}${again}`,
    },
  ];
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

/** The most important evidence, in the order of its kind; the alert page shows all of it. */
function evidence(data: Data): Fact[] {
  const meta = memberAt(data, 'meta');
  if (!isRecord(meta)) return [];
  const symbol = typeof meta.symbol === 'string' ? harmless(meta.symbol, 40) : '';
  const { first, series } = readEvidence(lineAt(data, 'detectorSchemaName') || null, meta);
  const facts = first
    .filter(({ name, value }) => !isRawAmount(name, value))
    .map((member) => ({ name: harmless(member.title, 40), value: showEvidence(member, symbol) }));
  const compared = series.map(({ title, text }) => ({ name: title, value: groupDigits(text) }));
  const isNew = ({ name }: Fact) => !facts.some((fact) => fact.name === name);
  return [...facts, ...compared.filter(isNew)]
    .filter(({ name, value }) => name !== '' && value !== '')
    .slice(0, 10);
}

/** In the smallest unit of a token: the message has it in whole ones, and the alert page shows it. */
function isRawAmount(name: string, value: unknown): boolean {
  return /^raw[A-Z]/.test(name) || /^-?\d{12,}$/.test(typeof value === 'string' ? value : '');
}

const labels = { alert: 'Open the alert', explorer: 'Open in the explorer' } as const;
/** Pages on which the reader acts. */
const actLabels = {
  acknowledge: 'Acknowledge',
  assign: 'Assign to me',
  resolve: 'Resolve',
  silence: 'Silence for an hour',
  halt: 'Halt actions',
} as const;

function links(data: Data): Link[] {
  const link = (label: string, url: string | undefined, isAct = false): Link[] =>
    url ? [{ label, url, ...(isAct ? { isAct } : {}) }] : [];
  return [
    ...link(labels.alert, cleanLink(memberAt(data, 'links', 'alert'))),
    ...keysOf(actLabels).flatMap((name) =>
      link(actLabels[name], cleanLink(memberAt(data, 'links', name)), true),
    ),
    ...link('Open the runbook', cleanLink(data.runbookUrl)),
    ...link(labels.explorer, cleanLink(memberAt(data, 'links', 'explorer'))),
  ];
}

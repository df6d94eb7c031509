import { keysOf } from '../../lib/keysOf.ts';
import { severityOf } from '../../model/alert.ts';
import type { Message } from '../../model/notification.ts';
import { cleanLine } from './clean.ts';
import { lineAt, severityIn, toTime } from './readData.ts';
import type { Story } from './story.ts';
import { toStory } from './toStory.ts';

const maxItems = 20;

/**
 * The content of one message, or of a digest: counts by severity and contract, and the most severe messages. `total`: of how
 * many alerts of an incident these are the worst.
 */
export function digestStory(messages: readonly Message[], total = messages.length): Story {
  const [only] = messages;
  if (total === 1 && only) return toStory(only);
  const incidentUid = incidentOf(messages);
  if (incidentUid) return incidentStory(messages, incidentUid, total);
  const raised = messages.filter(({ type }) => type.endsWith('.raised'));
  const severities = countBy(raised, ({ data }) => severityIn(data) ?? '');
  const bySeverity = ranked
    .filter((severity) => severities.has(severity))
    .map((severity) => `${severities.get(severity)} ${severity}`)
    .join(', ');
  const noun = raised.length === messages.length ? 'alerts' : 'messages';
  const worst = worstFirst(messages).slice(0, maxItems);
  const severity = ranked.find((name) => severities.has(name));
  return {
    title: `${messages.length} ${noun}${bySeverity ? `: ${bySeverity}` : ''}`,
    ...(severity ? { severity } : {}),
    lead: `${messages.length} ${noun} ${period(messages)}.`,
    facts: byContract(messages),
    items: worst.map(toItem),
    more: messages.length - worst.length,
    links: [],
    footer: `Vigil · digest of ${messages.length} ${noun}`,
  };
}

/** The incident that all messages are about, if it is one. */
export function incidentOf(messages: readonly Message[]): string | undefined {
  const uids = new Set(messages.map(({ data }) => lineAt(data, 'incidentUid')));
  const [uid] = uids;
  return uids.size === 1 && uid ? uid : undefined;
}

/** Several alerts of one incident: the worst one, and a line for each of the others. */
function incidentStory(messages: readonly Message[], incidentUid: string, total: number): Story {
  const [worst, ...rest] = worstFirst(messages);
  const story = toStory(worst!);
  return {
    ...story,
    title: `${story.title} (${total} alerts)`,
    items: rest.slice(0, maxItems).map(toItem),
    more: Math.max(0, total - 1 - maxItems),
    footer: `Vigil · incident ${incidentUid} · ${toTime(worst!.timestamp)}`,
  };
}

const ranked = keysOf(severityOf).toReversed();

function worstFirst(messages: readonly Message[]): Message[] {
  return messages.toSorted((a, b) => rank(b) - rank(a) || b.timestamp - a.timestamp);
}

/** Retracted and resolved alerts rank last. */
function rank({ type, data }: Message): number {
  const severity = severityIn(data);
  return type === 'alert.retracted' || type === 'alert.resolved' || !severity ? 0 : severityOf[severity];
}

function toItem(message: Message): Story['items'][number] {
  const { title, severity, lead, links } = toStory(message);
  const link = links[0]?.url;
  return { title, lead: cleanLine(lead, 200), ...(severity ? { severity } : {}), ...(link ? { link } : {}) };
}

function period(messages: readonly Message[]): string {
  const times = messages.map(({ timestamp }) => timestamp).sort((a, b) => a - b);
  return `from ${toTime(times[0])} to ${toTime(times.at(-1))}`;
}

function byContract(messages: readonly Message[]): Story['facts'] {
  const counts = countBy(messages, ({ data }) => lineAt(data, 'contract', 'name') || 'Other');
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const rest = sorted.slice(10).reduce((sum, [, count]) => sum + count, 0);
  const lines = sorted.slice(0, 10).map(([name, count]) => ({ name, value: String(count) }));
  return rest > 0 ? [...lines, { name: `${sorted.length - 10} more contracts`, value: String(rest) }] : lines;
}

function countBy(messages: readonly Message[], key: (message: Message) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const message of messages) counts.set(key(message), (counts.get(key(message)) ?? 0) + 1);
  return counts;
}

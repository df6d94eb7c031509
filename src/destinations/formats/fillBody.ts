import { isRecord } from '../../lib/isRecord.ts';
import { fillTemplate, templateFields } from '../../lib/template.ts';
import type { Message } from '../../model/notification.ts';
import { toStory } from '../texts/toStory.ts';

export const maxTemplateLength = 20_000;

/** Names that every message has beside the members of the alert. */
const ownNames = ['uid', 'type', 'timestamp', 'sequence', 'title', 'text', 'link'];
/** Members that an alert has in a message. */
const alertNames =
  'uid kind severity numericSeverity name message status finality tags meta timestamp tenantId projectId contractId chainUid blockNumber blockHash txHash eid incidentUid incident contract project nextStep nextSteps runbookUrl escalation links walletId walletName walletAddress actionId detectorId triggerId retractionReason'.split(
    ' ',
  );

/** The fault of a template for bodies, or undefined. */
export function bodyTemplateFault(template: string): string | undefined {
  if (template.trim() === '') return 'must not be empty.';
  if (/^\s*(\{\s*"|\[)/.test(template) && readJson(template) === undefined)
    return 'looks like JSON and cannot be read as JSON; placeholders stand inside its texts, as in "{alert.name}".';
  const unknown = fieldsOf(template).find((name) => !isKnown(name));
  if (unknown === undefined) return undefined;
  return `knows no {${unknown}}; it has {alert.member} for the members of the alert (such as {alert.severity}, {alert.contract.name}, {alert.meta.amount}), and {${ownNames.join('}, {')}}. A brace of the text itself is written twice.`;
}

/**
 * The body for a message. A template in JSON stays JSON whatever the values are, and a text that is only a placeholder becomes
 * the value with its type. What a message lacks is empty.
 */
export function fillBody(
  template: string,
  message: Message,
  maxValues = maxBody,
): { body: string; contentType: string } {
  const filler: Filler = { values: valuesOf(message), lengths: new Map(), left: maxValues };
  const json = readJson(template);
  if (json === undefined) return { body: fill(template, filler), contentType: 'text/plain; charset=utf-8' };
  return { body: JSON.stringify(fillJson(json.value, filler)), contentType: 'application/json' };
}

/** Length of all values in one body: a template may name the evidence of an alert a thousand times. */
const maxBody = 1_000_000;
const leftOut = 'left out: the body would be too long';

type Filler = { values: Record<string, unknown>; lengths: Map<string, number>; left: number };

/** A value that still fits, or words in its place. */
function take(filler: Filler, name: string): unknown {
  const value = valueAt(filler.values, name) ?? null;
  const length = filler.lengths.get(name) ?? JSON.stringify(value).length;
  filler.lengths.set(name, length);
  if (length > filler.left) return leftOut;
  filler.left -= length;
  return value;
}

function valuesOf(message: Message): Record<string, unknown> {
  const { uid, type, timestamp, sequence, data } = message;
  const { title, lead, links } = toStory(message);
  const own = { uid, type, timestamp: new Date(timestamp).toISOString(), sequence, title, text: lead };
  return { ...own, link: links[0]?.url ?? '', alert: data };
}

/** Text that is not an object or a list is a template of text, even where it could be read as JSON. */
function readJson(template: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(template);
    return typeof value === 'object' && value !== null ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(template: string): string[] {
  const json = readJson(template);
  return json === undefined ? templateFields(template) : textsIn(json.value).flatMap(templateFields);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function isKnown(name: string): boolean {
  const [first, second] = name.split('.');
  if (first === 'alert') return second !== undefined && alertNames.includes(second);
  return second === undefined && ownNames.includes(first ?? '');
}

function fillJson(part: unknown, filler: Filler): unknown {
  if (typeof part === 'string') {
    const only = /^\{([\w.-]+)\}$/.exec(part)?.[1];
    return only === undefined ? fill(part, filler) : take(filler, only);
  }
  if (Array.isArray(part)) return part.map((item) => fillJson(item, filler));
  if (!isRecord(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, fillJson(member, filler)]));
}

/** A placeholder without a value becomes empty; in the text of an alert it would stay. */
function fill(text: string, filler: Filler): string {
  const { values } = filler;
  const missing = templateFields(text).filter((name) => valueAt(values, name) === undefined);
  const known = missing.reduce((shorter, name) => shorter.replaceAll(`{${name}}`, ''), text);
  const filled = fillTemplate(known, values, undefined, filler.left);
  filler.left = Math.max(0, filler.left - filled.length);
  return filled;
}

function valueAt(values: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>(
      (value, step) => (isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined),
      values,
    );
}

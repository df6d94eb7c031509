import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  flag,
  integer,
  isoTime,
  jsonText,
  list,
  type Members,
  millis,
  object,
  oneOf,
  orNull,
  type Rule,
  record,
  text,
  textMap,
  without,
} from './memberRules.ts';

/** The members of replies as the tables of docs/api-spec.md state them, so that the document and the schemas hold each other. */
const specification = readFileSync(join(import.meta.dirname, '../../docs/api-spec.md'), 'utf8');

type Row = { member: string; type: string; out: string; meaning: string };

function rowsOf(kind: string): Row[] {
  const [, section = ''] = specification.split(`\n### ${kind}: `);
  const [table] = section.split('\n#', 1);
  const cells = Array.from(table!.matchAll(/^\| (`.+`) \| (.+?) \| .+? \| (\w+) \| (.*?) ?\|$/gm));
  if (cells.length === 0) throw new Error(`docs/api-spec.md has no table of ${kind}.`);
  return cells.flatMap(([, names = '', type = '', out = '', meaning = '']) =>
    namesIn(names).map((member) => ({ member, type, out, meaning })),
  );
}

/** The members that every reply shows, and those `alsoRead` that only a read of one record shows. */
function membersOf(kind: string, details: Members = {}, alsoRead: readonly string[] = []): Members {
  const shown = rowsOf(kind).filter(({ member, out }) => out === 'yes' || alsoRead.includes(member));
  const unknown = Object.keys(details).filter((name) => !shown.some(({ member }) => member === name));
  if (unknown.length > 0) throw new Error(`docs/api-spec.md names no ${unknown.join(', ')} of ${kind}.`);
  return Object.fromEntries(shown.map((row) => [row.member, details[row.member] ?? ruleOf(row, kind)]));
}

function ruleOf({ member, type, meaning }: Row, kind: string): Rule {
  const isNullable = type.endsWith(' or null');
  const plain = type.replace(/ or null$/, '');
  const isList = plain.startsWith('list of ');
  const item = plainRule(plain.replace('list of ', ''), member, meaning);
  if (!item)
    throw new Error(`docs/api-spec.md: the type "${type}" of ${kind}'s ${member} is not understood.`);
  const rule = isList ? list(item) : item;
  return isNullable ? orNull(rule) : rule;
}

function plainRule(type: string, member: string, meaning: string): Rule | undefined {
  if (type.startsWith('`')) return oneOf(...namesIn(type));
  if (type.startsWith('text')) {
    if (meaning.includes('ISO 8601')) return isoTime;
    return meaning.includes('JSON text') ? jsonText : text;
  }
  if (type === 'integer') return /(At|Date)$/.test(member) ? millis : integer;
  return { boolean: flag, object, chain: oneOf(...chainUids), role: text }[type];
}

function namesIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name);
}

export const chainUids = namesIn(/`chainUid` is one of (.*?), or one that/s.exec(specification)?.[1] ?? '');

const common = { id: integer, createdAt: millis, updatedAt: millis };
const status = oneOf('ACTIVE', 'DISABLED', 'DELETED');

export const contractMembers = membersOf('Contract');
export const walletMembers = membersOf('Wallet');
export const destinationMembers = membersOf('Destination', { headers: orNull(textMap) }, ['type']);
export const destinationWithoutType = record(without(destinationMembers, 'type'));

const script = { scriptFilter: orNull(text), scriptParams: textMap };
export const actionMembers = membersOf('Action', {
  params: list(record({ name: text, value: text })),
  destinations: list(record({ ...common, tenantDestination: destinationWithoutType })),
  detectors: list(record({ ...common, ...script, detectorId: integer })),
  triggerAlerts: list(record({ ...common, ...script, triggerAlertId: integer })),
});

export const detectorMembers = membersOf('Detector', {
  schema: record(without(membersOf('Detector schema'), 'configSchema')),
  destinations: list(record({ ...common, status, tenantDestination: record(destinationMembers) })),
  actions: list(record({ ...common, status, ...script, actionId: integer })),
});

export const scoreGroupMembers = membersOf('Score group');
export const licenseMembers = membersOf('License', { scoreGroups: list(record(scoreGroupMembers)) });
export const instanceMetaMembers = membersOf('License instance period');
export const instanceMembers = membersOf('License instance', {
  license: record(licenseMembers),
  licenseInstanceMeta: list(record({ ...instanceMetaMembers, status })),
});
export const projectMembers = membersOf('Project', { licenses: list(record(instanceMembers)) });
export const subscriptionMembers = membersOf('Subscription', { plan: record(membersOf('Plan')) });
export const inviteMembers = membersOf('Invite');

import { toLabel } from '../state/format.ts';
import { chainOf } from '../state/names.ts';

/** What people call the values that the API has words of its own for. */
const words: Readonly<Record<string, string>> = {
  ACTIVE: 'Switched on',
  DISABLED: 'Switched off',
  LICENCED: 'Granted',
  HSM: 'In a hardware module',
  CONTRACT: 'A contract',
  ENTITY: 'Another entity',
  CUSTOM: 'Expression of our own',
};

/** What reaches a destination where nothing else is bound. */
const tagWords: Readonly<Record<string, string>> = {
  DEFAULT: 'Everything',
  DETECTOR: 'Alerts of detectors and triggers',
  WALLET: 'What actions do with wallets',
};

/** What each role may do, in a line. */
const hints: Readonly<Record<string, string>> = {
  'tenant-viewer': 'sees everything of the tenant and changes nothing',
  'tenant-user': 'also works on alerts, contracts, detectors, destinations and actions, and halts actions',
  'tenant-manager': 'also manages users, keys, projects and wallets, and resumes actions',
  'organisation-viewer': 'sees the tenants and the scores of the organisation',
  'organisation-user': 'also writes licenses and grants them',
  'organisation-manager': 'also manages the users of the organisation',
  admin: 'may do everything, in every tenant',
};

const isShout = (value: string) => /^[A-Z0-9]+(_[A-Z0-9]+)*$/.test(value);

/** A value of a menu as people say it; its meaning may depend on what else there is to choose. */
export function wordOf(value: string, others: readonly string[]): string {
  if (others.includes('DETECTOR') && others.includes('WALLET')) return tagWords[value] ?? value;
  if (value === 'DEFAULT') return others.includes('HSM') ? 'Kept here, sealed' : value;
  if (value === 'WALLET' && others.includes('ENTITY')) return 'A wallet';
  if (['INFO', 'POST', 'GET'].some((word) => others.includes(word))) return value;
  return words[value] ?? chainOf(value)?.name ?? (isShout(value) ? toLabel(value.toLowerCase()) : value);
}

export function hintOf(value: string): string | undefined {
  return hints[value];
}

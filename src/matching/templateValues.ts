import { harmless } from '../lib/harmless.ts';
import { isRecord } from '../lib/isRecord.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Values of `{member}` in a message template. Text from a chain or the web is made harmless; values of the settings,
 * such as a web address, are the tenant's own.
 */
export function templateValues(evidence: Values, settings: unknown): Values {
  const settingValues = isRecord(settings) ? new Set(Object.values(settings)) : new Set<unknown>();
  return Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => [
      name,
      settingValues.has(value) ? value : toHarmless(value, { left: maxValues }),
    ]),
  );
}

/** Values of one member; a message with more is read by no one, and calls have arguments of a hundred thousand. */
const maxValues = 1000;
const cut = '…';

function toHarmless(value: unknown, budget: { left: number }): unknown {
  if (typeof value === 'string') return harmless(value, 2_000);
  if (Array.isArray(value)) return withinBudget(value, budget, cut, (item) => toHarmless(item, budget));
  if (!isRecord(value) || value instanceof Date) return value;
  return Object.fromEntries(
    withinBudget(Object.entries(value), budget, [cut, cut], ([name, member]) => [
      harmless(name, 100),
      toHarmless(member, budget),
    ]),
  );
}

function withinBudget<I, O>(
  items: readonly I[],
  budget: { left: number },
  last: O,
  show: (item: I) => O,
): O[] {
  const shown: O[] = [];
  for (const item of items) {
    if (budget.left <= 0) return [...shown, last];
    budget.left -= 1;
    shown.push(show(item));
  }
  return shown;
}

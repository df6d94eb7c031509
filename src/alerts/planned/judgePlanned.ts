import { addDecimal, compareDecimal, type Decimal, parseDecimal } from '../../lib/decimal.ts';
import { isRecord } from '../../lib/isRecord.ts';
import type { Finding } from '../../model/alert.ts';
import type { Expectation, PlannedChange } from '../../store/alerts/plannedChanges.ts';

export type Judgement = {
  change: PlannedChange;
  /** Index of the expectation that it fulfils, or from which it differs least. */
  expectation: number;
  /** Differences in words; none for an alert that was planned. */
  differences: string[];
  /** Part of the amount that the alert takes. */
  amount: Decimal | undefined;
};

type Spent = (change: PlannedChange, expectation: number) => Decimal;

/** Judges a finding by the planned changes of its contract; undefined if none expects its kind at its time. */
export function judgePlanned(
  finding: Finding,
  changes: readonly PlannedChange[],
  spent: Spent,
): Judgement | undefined {
  const kind = finding.detectorSchemaName ?? finding.triggerType;
  let closest: Judgement | undefined;
  for (const change of changes) {
    if (!isInForce(change, finding)) continue;
    for (const [index, expectation] of change.expected.entries()) {
      if (expectation.kind !== kind) continue;
      const judgement = compare(finding, change, index, spent);
      if (judgement.differences.length === 0) return judgement;
      if (!closest || judgement.differences.length < closest.differences.length) closest = judgement;
    }
  }
  return closest;
}

/** By the time of the block: an alert from before the change was made or confirmed is none of its own. */
function isInForce(change: PlannedChange, { tenantId, contractId, timestamp }: Finding): boolean {
  const { from, to, effectiveAt } = change;
  if (change.tenantId !== tenantId || change.contractId !== contractId) return false;
  return timestamp >= from && timestamp < to && timestamp >= effectiveAt;
}

function compare(finding: Finding, change: PlannedChange, index: number, spent: Spent): Judgement {
  const expectation = change.expected[index] ?? { kind: '' };
  const { amount, difference } = compareAmount(finding, expectation, spent(change, index));
  const differences = [
    ...actorDifference(finding, change.actors),
    ...Object.entries(expectation.values ?? {}).flatMap(([member, value]) =>
      valueDifference(finding, member, value),
    ),
    ...(difference === undefined ? [] : [difference]),
  ];
  return { change, expectation: index, differences, amount };
}

function actorDifference({ initiators = [] }: Finding, actors: readonly string[]): string[] {
  if (actors.length === 0 || initiators.some((one) => actors.some((actor) => isSame(one, actor)))) return [];
  const who = initiators[0] === undefined ? 'no one knows who' : cut(initiators[0]);
  return [`${who} did it instead of ${actors.map(cut).join(' or ')}`];
}

function valueDifference({ meta }: Finding, member: string, expected: string): string[] {
  const value = textAt(meta, member);
  if (value !== undefined && isSame(value, expected)) return [];
  return [`${member} is ${value === undefined ? 'missing' : cut(value)} instead of ${cut(expected)}`];
}

function compareAmount(
  { meta }: Finding,
  { amountMember, amountUpTo }: Expectation,
  spent: Decimal,
): { amount: Decimal | undefined; difference?: string } {
  if (amountUpTo == null) return { amount: undefined };
  const member = amountMember ?? 'amount';
  const text = textAt(meta, member);
  const amount = text === undefined ? undefined : toAmount(text);
  if (!amount)
    return {
      amount,
      difference: `${member} is ${text === undefined ? 'missing' : cut(text)} instead of an amount`,
    };
  if (amount.units >= 0n && compareDecimal(addDecimal(spent, amount), parseDecimal(amountUpTo)) <= 0)
    return { amount };
  const before = spent.units === 0n ? '' : ' together with what came before it';
  return { amount, difference: `${member} ${cut(text ?? '')}${before} is more than ${amountUpTo}` };
}

function toAmount(text: string): Decimal | undefined {
  try {
    return parseDecimal(text);
  } catch {
    return undefined;
  }
}

/** A member of the evidence as text; dots lead into objects. */
function textAt(meta: Finding['meta'], member: string): string | undefined {
  let value: unknown = Object.hasOwn(meta, member) ? meta[member] : undefined;
  if (value === undefined) {
    value = meta;
    for (const step of member.split('.'))
      value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const hex = /^0x[0-9a-fA-F]*$/;

/** To the byte: the letters of a hexadecimal number mean the same in either case. */
function isSame(left: string, right: string): boolean {
  return left === right || (hex.test(left) && hex.test(right) && left.toLowerCase() === right.toLowerCase());
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

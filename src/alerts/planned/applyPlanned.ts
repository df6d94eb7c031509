import { addDecimal, type Decimal, parseDecimal, toDecimal } from '../../lib/decimal.ts';
import { type Finding, isShadow, type RaisedAlert } from '../../model/alert.ts';
import {
  findSpent,
  insertPlannedAlerts,
  lockPlannedChanges,
  type PlannedChange,
} from '../../store/alerts/plannedChanges.ts';
import type { Db } from '../../store/db/db.ts';
import { type Judgement, judgePlanned } from './judgePlanned.ts';

/**
 * Judges findings by the planned changes of their contracts, in the transaction that raises them: what was planned becomes INFO, and
 * what differs from the plan becomes CRITICAL and says how.
 */
export async function applyPlanned(tx: Db, findings: readonly Finding[]): Promise<Finding[]> {
  const judged = findings.filter(isJudged);
  if (judged.length === 0) return [...findings];
  const contracts = new Map(
    judged.map(({ tenantId, contractId }) => [`${tenantId} ${contractId}`, { tenantId, contractId }]),
  );
  const times = judged.map(({ timestamp }) => timestamp);
  // One by one, because a batch may be larger than the arguments of a function.
  const from = times.reduce((least, time) => Math.min(least, time));
  const to = times.reduce((most, time) => Math.max(most, time));
  const changes = await lockPlannedChanges(tx, [...contracts.values()], { from, to });
  if (changes.length === 0) return [...findings];
  const sums = await readSpent(tx, changes);
  return findings.map((finding) => {
    if (!isJudged(finding)) return finding;
    const judgement = judgePlanned(
      finding,
      changes,
      ({ id }, expectation) => sums.get(`${id} ${expectation}`) ?? toDecimal(0n),
    );
    if (!judgement) return finding;
    const { change, expectation, differences, amount } = judgement;
    const key = `${change.id} ${expectation}`;
    if (amount && differences.length === 0 && !finding.isPending)
      sums.set(key, addDecimal(sums.get(key) ?? toDecimal(0n), amount));
    return withJudgement(finding, judgement);
  });
}

/** Records which alerts a planned change has judged. What is pending is recorded once a block has it. */
export async function recordPlanned(tx: Db, raised: readonly RaisedAlert[]): Promise<void> {
  await insertPlannedAlerts(
    tx,
    raised.flatMap(({ uid, finding: { tenantId, timestamp, planned, isPending } }) =>
      planned && !isPending ? [{ ...planned, tenantId, uid, timestamp }] : [],
    ),
  );
}

function isJudged(finding: Finding): boolean {
  const { kind, detectorSchemaName, triggerType, suppressed, backfilled, isEnd } = finding;
  if (kind === 'action' || suppressed || backfilled || isEnd || isShadow(finding)) return false;
  return detectorSchemaName !== undefined || triggerType !== undefined;
}

async function readSpent(tx: Db, changes: readonly PlannedChange[]): Promise<Map<string, Decimal>> {
  const limited = changes.filter(({ expected }) => expected.some(({ amountUpTo }) => amountUpTo != null));
  if (limited.length === 0) return new Map();
  const rows = await findSpent(
    tx,
    limited.map(({ id }) => id),
  );
  return new Map(
    rows.map(({ plannedChangeId, expectation, amount }) => [
      `${plannedChangeId} ${expectation}`,
      parseDecimal(amount),
    ]),
  );
}

function withJudgement(finding: Finding, { change, expectation, differences, amount }: Judgement): Finding {
  const { id, name } = change;
  const isMatch = differences.length === 0;
  const words = isMatch
    ? `As planned (${name}): `
    : `Differs from the planned change ${name}: ${differences.join('; ')}. `;
  return {
    ...finding,
    severity: isMatch ? 'INFO' : 'CRITICAL',
    message: `${words}${finding.message}`,
    meta: {
      ...finding.meta,
      plannedChange: { id, name, isMatch, severity: finding.severity, ...(isMatch ? {} : { differences }) },
    },
    planned: { plannedChangeId: id, expectation, isMatch, amount: isMatch && amount ? toText(amount) : null },
  };
}

function toText({ units, scale }: Decimal): string {
  return scale > 0 ? `${units}e-${scale}` : `${units * 10n ** BigInt(-scale)}`;
}

import { nearest } from '../../lib/nearest.ts';
import { atMember, type Fault, invalid, Problem, unprocessable } from '../../model/errors.ts';
import { invalidInput } from '../../model/validate.ts';
import { namedFields } from '../../query/lucene/namedFields.ts';
import { parseQuery } from '../../query/lucene/parseQuery.ts';
import { lockQuantities } from '../../store/accounts/plans.ts';
import { findAuthor } from '../../store/alerts/comments.ts';
import { sumSilenceCost } from '../../store/destinations/silences.ts';
import type { Row } from '../../store/records/records.ts';
import { createAlertMatcher } from '../../store/search/createAlertMatcher.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import type { silenceTable } from '../../store/tables/silenceTable.ts';
import type { Call } from '../call.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';

const maxMs = 90 * 86_400_000;
/** Cost of all queries of a tenant that are tried on every alert: about 0.2 s with the largest alert that can be stored. */
const maxCost = 20_000;

/** A silence ends by the clock alone. `to` in the past ends it now, and one that has ended stays as it is. */
export async function prepareSilence(call: Call, change: ChangeOf<typeof silenceTable>): Promise<Row> {
  const { id, input, current } = change;
  const { db, now } = call;
  const tenantId = tenantOf(change);
  if (current && current.to <= now)
    throw new Problem('conflict', 'The silence has ended, and stays on record as it was: make another one.');
  const { from: givenFrom, to: givenTo, ...others } = input;
  const isEnd = current !== undefined && givenTo !== undefined && givenTo <= now;
  const from = isEnd
    ? Math.min(current.from, now)
    : Math.max(givenFrom ?? current?.from ?? now, current ? 0 : now);
  const to = isEnd ? now : (givenTo ?? current?.to ?? now);
  if (!isEnd) checkTimes(from, to, now);
  const cost = input.query === undefined ? undefined : checkQuery(input.query, now);
  if (cost !== undefined) await checkCost(call, tenantId, id, cost);
  return {
    ...others,
    startsAt: from,
    endsAt: to,
    ...(cost === undefined ? {} : { cost: Math.ceil(cost) }),
    ...(current
      ? {}
      : { authorId: authorOf(call, tenantId), author: await findAuthor(db, call.principal.tokenId) }),
  };
}

function checkTimes(from: number, to: number, now: number): void {
  if (to <= now)
    throw invalid('/to', 'past', 'must be in the future: a silence holds for alerts that are yet to come.');
  if (to <= from) throw invalid('/to', 'order', 'must be after `from`.');
  if (to - Math.max(from, now) > maxMs)
    throw invalid(
      '/to',
      'too-long',
      'must be at most 90 days after it begins or from now: a silence that outlives its reason hides what no one expects. Extend it when the time comes.',
    );
}

/** Only users of the tenant itself are known by their id there. */
function authorOf({ principal }: Call, tenantId: number): number | null {
  return principal.tenantId === tenantId ? principal.userId : null;
}

/** Refuses what could not be tried on every alert, and members that alerts do not have: these would hide nothing. Returns its cost. */
export function checkQuery(query: string, now: number, pointer = '/query'): number {
  const { cost } = atMember(pointer, 'query', () => createAlertMatcher(query, now));
  const names = [...alertTable.columns.keys()];
  const faults = [...namedFields(parseQuery(query))].flatMap((name): Fault[] => {
    if (name.includes('*') || alertTable.mapping.fields.has(name)) return [];
    const [first = '', second] = name.split('.');
    if (first === 'meta' && second) return [];
    const closest = nearest(name, names);
    const message = `names ${name.slice(0, 80)}, which is no member of alerts${closest ? `; did you mean ${closest}?` : '.'}`;
    return [{ pointer, code: 'unknown-field', message }];
  });
  if (faults.length > 0) throw invalidInput(faults);
  return cost;
}

async function checkCost(
  { db, now }: Call,
  tenantId: number,
  id: number | undefined,
  cost: number,
): Promise<void> {
  // Many at the same moment would each see room for themselves.
  await lockQuantities(db, tenantId);
  const others = await sumSilenceCost(db, tenantId, id, now);
  if (others + cost <= maxCost) return;
  throw unprocessable(
    '/query',
    'too-expensive',
    `costs ${Math.ceil(cost)}, and all silences of the tenant that have not ended may cost ${maxCost} together, of which ${others} are taken. ` +
      'Name a field before each value, use fewer patterns, or end silences that are no longer needed.',
  );
}

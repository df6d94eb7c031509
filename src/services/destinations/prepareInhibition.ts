import { unprocessable } from '../../model/errors.ts';
import { lockQuantities } from '../../store/accounts/plans.ts';
import { sumInhibitionCost } from '../../store/destinations/inhibitions.ts';
import type { Row } from '../../store/records/records.ts';
import type { inhibitionTable } from '../../store/tables/inhibitionTable.ts';
import type { Call } from '../call.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';
import { checkQuery } from './prepareSilence.ts';

/** Cost of all queries of a tenant that are tried on every alert. */
const maxCost = 10_000;

export async function prepareInhibition(
  { db, now }: Call,
  change: ChangeOf<typeof inhibitionTable>,
): Promise<Row> {
  const { id, input, current } = change;
  const sourceQuery = input.sourceQuery ?? current?.sourceQuery ?? '';
  const targetQuery = input.targetQuery ?? current?.targetQuery ?? '';
  const cost = Math.ceil(
    checkQuery(sourceQuery, now, '/sourceQuery') + checkQuery(targetQuery, now, '/targetQuery'),
  );
  // Many at the same moment would each see room for themselves.
  await lockQuantities(db, tenantOf(change));
  const others = await sumInhibitionCost(db, tenantOf(change), id);
  if (others + cost > maxCost)
    throw unprocessable(
      '/targetQuery',
      'too-expensive',
      `makes the inhibition cost ${cost}, and all of the tenant may cost ${maxCost} together, of which ${others} are taken. ` +
        'Name a field before each value, or use fewer patterns.',
    );
  return { ...input, cost };
}

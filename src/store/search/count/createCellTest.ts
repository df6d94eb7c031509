import { toSeverity } from '../../../model/alert.ts';
import { compile } from '../../../query/lucene/compile.ts';
import { searchQueryBudget } from '../../../query/lucene/cost.ts';
import { createMatcher } from '../../../query/lucene/createMatcher.ts';
import { createSubject } from '../../../query/lucene/createSubject.ts';
import { namedFields } from '../../../query/lucene/namedFields.ts';
import { parseQuery } from '../../../query/lucene/parseQuery.ts';
import { fieldsOf } from '../../../query/lucene/predicate.ts';
import { alertTable } from '../documents/alertTable.ts';
import type { AlertOwner, CellCount } from '../rollups/countByRollup.ts';
import { cells } from '../rollups/rollups.ts';

type Cell = Pick<CellCount, 'group' | 'numericSeverity'>;

/** Tests if a query finds the alerts of a cell of the roll-ups; undefined if the cell alone does not decide it. */
export function createCellTest(
  query: string | undefined,
  { tenantId, contractId }: AlertOwner,
  now: number,
): ((cell: Cell) => boolean) | undefined {
  if (!query?.trim()) return () => true;
  const cellFields = { tenantId, ...(contractId === 0 ? {} : { contractId }) };
  const deciding = new Set(['kind', 'group', 'severity', 'numericSeverity', ...Object.keys(cellFields)]);
  const parsed = parseQuery(query);
  if (![...namedFields(parsed)].every((name) => deciding.has(name))) return undefined;
  const { predicate } = compile(parsed, alertTable.mapping, now, searchQueryBudget);
  if (!fieldsOf(predicate).every(({ name }) => deciding.has(name))) return undefined;
  const matches = createMatcher(predicate);
  const found = new Set(
    cells.flatMap(({ group, severity: numericSeverity }) => {
      const severity = toSeverity(numericSeverity);
      const alert = { ...cellFields, group, kind: kindOf(group), severity, numericSeverity };
      return matches(createSubject(alert)) ? [`${group} ${numericSeverity}`] : [];
    }),
  );
  return ({ group, numericSeverity }) => found.has(`${group} ${numericSeverity}`);
}

/** Alerts of detectors are of two groups, those of others of one. */
export function kindOf(group: CellCount['group']): string {
  return group === 'action' || group === 'trigger' ? group : 'detector';
}

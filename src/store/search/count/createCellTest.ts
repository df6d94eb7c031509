import { toSeverity } from '../../../model/alert.ts';
import { createMatcher } from '../../../query/lucene/createMatcher.ts';
import { createSubject } from '../../../query/lucene/createSubject.ts';
import { fieldsOf } from '../../../query/lucene/predicate.ts';
import type { ParsedQuery } from '../compile/compileQuery.ts';
import type { AlertOwner, CellCount } from '../rollups/countByRollup.ts';
import { cells } from '../rollups/rollups.ts';

type Cell = Pick<CellCount, 'group' | 'numericSeverity'>;

/** Tests if a query finds the alerts of a cell of the roll-ups; undefined if the cell alone does not decide it. */
export function createCellTest(
  query: ParsedQuery | undefined,
  { tenantId, contractId }: AlertOwner,
): ((cell: Cell) => boolean) | undefined {
  if (!query) return () => true;
  const { fields, predicate } = query;
  const cellFields = { tenantId, ...(contractId === 0 ? {} : { contractId }) };
  const deciding = new Set(['kind', 'group', 'severity', 'numericSeverity', ...Object.keys(cellFields)]);
  if (![...fields].every((name) => deciding.has(name))) return undefined;
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

import { Severity, severities } from '../../parts/Severity.tsx';
import { hasCondition, toggleCondition } from '../../state/alertQuery.ts';
import { showCompact } from '../../state/format.ts';
import { chainOf, nameOf } from '../../state/names.ts';
import { type Bucket, type FacetField, facetFields } from './useAlertFigures.ts';

const titles: Record<FacetField, string> = {
  severity: 'Severity',
  status: 'Status',
  kind: 'Raised by',
  contractId: 'Contract',
  detectorId: 'Detector',
  chainUid: 'Chain',
  tags: 'Tags',
  finality: 'Finality',
};

export type FacetsProps = {
  query: string;
  facets: Record<FacetField, { buckets: Bucket[]; otherCount: number }> | undefined;
  onQuery(query: string): void;
};

/** Values with their counts: a press keeps only alerts with a value, the minus leaves them out. */
export function Facets({ query, facets, onQuery }: FacetsProps) {
  return (
    <div class="facets">
      {facetFields.map((field) => {
        const { buckets: found = [], otherCount = 0 } = facets?.[field] ?? {};
        const buckets = field === 'severity' ? worstFirst(found) : found;
        if (buckets.length === 0) return null;
        return (
          <section key={field}>
            <h2>{titles[field]}</h2>
            <ul>
              {buckets.map(({ key, count }) => {
                const state = hasCondition(query, field, key);
                return (
                  <li key={key} class={state ?? ''}>
                    <button
                      type="button"
                      class="plain facet"
                      aria-pressed={state === 'with'}
                      onClick={() => onQuery(toggleCondition(query, field, key))}
                    >
                      <span class="grow cut foreign">{show(field, key)}</span>
                      <span class="dim">{showCompact(count)}</span>
                    </button>
                    <button
                      type="button"
                      class="plain without"
                      aria-pressed={state === 'without'}
                      aria-label={`Leave out ${titles[field]} ${String(key).slice(0, 60)}`}
                      title="Leave out"
                      onClick={() => onQuery(toggleCondition(query, field, key, true))}
                    >
                      −
                    </button>
                  </li>
                );
              })}
              {otherCount > 0 && <li class="dim small other">{showCompact(otherCount)} others</li>}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

/** Severities in their own order, however many there are of each. */
function worstFirst(buckets: readonly Bucket[]): Bucket[] {
  const order: readonly unknown[] = severities;
  const rank = ({ key }: Bucket) => order.indexOf(key);
  return buckets.toSorted((a, b) => rank(b) - rank(a));
}

function show(field: FacetField, key: string | number) {
  if (field === 'severity') return <Severity value={String(key)} />;
  if (field === 'contractId') return nameOf('contract', Number(key)) ?? `#${key}`;
  if (field === 'detectorId') return nameOf('detector', Number(key)) ?? `#${key}`;
  if (field === 'chainUid') return chainOf(String(key))?.name ?? String(key);
  return String(key);
}

import type { Suggestion } from '../../parts/QueryBar.tsx';
import { alertFields, quoteTerm, withinTenant } from '../../state/alertQuery.ts';
import { client } from '../../state/api.ts';

const days30 = 30 * 86_400_000;

/** Fields by name; for a field, its most frequent values of the last 30 days. */
export async function suggestQuery(
  { field, typed }: { field: string | undefined; typed: string },
  signal: AbortSignal,
): Promise<Suggestion[]> {
  const wanted = typed.toLowerCase();
  if (field === undefined) {
    if (typed === '') return [];
    return Object.entries(alertFields)
      .filter(([name]) => name.toLowerCase().includes(wanted))
      .map(([name, detail]) => ({ text: name === 'meta' ? 'meta.' : `${name}:`, detail }));
  }
  const now = Date.now();
  const { data } = await client.post('/alert/aggregation', {
    body: {
      aggregation: [{ name: 'values', field, size: 50 }],
      query: withinTenant(''),
      timeseries: [{ from: now - days30, to: now }],
      trackTotalCount: 0,
    },
    signal,
  });
  const { values } = data as { values?: { buckets?: { key: string | number; count: number }[] } };
  return (values?.buckets ?? [])
    .filter(({ key }) => String(key).toLowerCase().includes(wanted))
    .map(({ key, count }) => ({ text: quoteTerm(key), detail: `${count} in 30 days` }));
}

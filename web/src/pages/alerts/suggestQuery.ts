import type { Suggestion } from '../../parts/QueryBar.tsx';
import { quoteTerm } from '../../state/alertQuery.ts';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { mayChooseTenant, tenantId } from '../../state/session.ts';

/** Fields by name, also of evidence; for a field, the values that the newest alerts have, or the records that it names. */
export async function suggestQuery(
  { field, typed }: { field: string | undefined; typed: string },
  signal: AbortSignal,
): Promise<Suggestion[]> {
  if (field === undefined && typed === '') return [];
  const { data } = await client.get('/suggest', {
    query: {
      ...(field === undefined ? { of: 'field' } : { of: 'value', field }),
      text: typed.slice(0, 200),
      ...(mayChooseTenant.value && tenantId.value !== undefined ? { tenantId: tenantId.value } : {}),
    },
    signal,
  });
  return data.map(({ value, type, label, count }) => ({
    text: field === undefined ? `${value}:` : quoteTerm(value),
    detail: label ?? (count === null ? type : `${showCount(count)} of the newest alerts`),
  }));
}

import { nearest } from '../../../../src/lib/nearest.ts';
import { client } from '../../state/api.ts';

/** A word of a query that finds nothing as it is, and the query with the word that was probably meant. */
export type QueryHint = { text: string; meant: string; query: string };

/** Members that have one of a few values. */
const enumerated = new Set([
  'severity',
  'kind',
  'status',
  'finality',
  'chainUid',
  'interceptorType',
  'triggerType',
  'walletChainUid',
]);

/** Names and values in a query that do not exist, with the nearest ones that do. A query with such words can be read, and finds nothing. */
export async function findQueryHints(query: string, signal: AbortSignal): Promise<QueryHint[]> {
  const conditions = conditionsOf(query);
  if (conditions.length === 0) return [];
  const { data } = await client.get('/suggest', { query: { of: 'field', size: 200 }, signal });
  const fields = data.map(({ value }) => value);
  const hints: QueryHint[] = [];
  for (const condition of conditions) {
    const { field, value } = condition;
    const put = (at: number, before: string, after: string) =>
      query.slice(0, at) + after + query.slice(at + before.length);
    if (!fields.includes(field)) {
      const meant = nearest(field, fields);
      const isMeta = field.startsWith('meta.');
      // Only the newest alerts say which members of `meta` there are.
      if (meant !== undefined)
        hints.push({
          text: isMeta ? `None of the newest alerts has ${field}.` : `There is no member ${field}.`,
          meant,
          query: put(condition.at, field, meant),
        });
      else if (!isMeta) hints.push({ text: `There is no member ${field}.`, meant: '', query });
    } else if (enumerated.has(field) && /^[\w-]+$/.test(value)) {
      const values = await client.get('/suggest', { query: { of: 'value', field, size: 200 }, signal });
      const known = values.data.map((one) => one.value);
      if (known.some((one) => one.toLowerCase() === value.toLowerCase())) continue;
      const meant = nearest(value, known);
      hints.push({
        text: `No alert has the ${field} ${value}${meant ? '' : `; there are ${known.slice(0, 8).join(', ')}`}.`,
        meant: meant ?? '',
        query: meant ? put(condition.at + field.length + 1, value, meant) : query,
      });
    }
  }
  return hints;
}

type Condition = { field: string; value: string; at: number };

/** What stands before and after each colon outside of quotes; the value is empty where it is more than a word. */
function conditionsOf(query: string): Condition[] {
  const masked = query.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => '"'.repeat(quoted.length));
  return Array.from(
    masked.matchAll(/(?<![\w.\\*?])([A-Za-z][\w.]*):([\w-]*(?![\w*?~-]))?/g),
    ({ 1: field = '', 2: value = '', index }) => ({ field, value, at: index }),
  );
}

/** SQL: the heights of all chains in one object, which PostgreSQL reads once per statement instead of once per row. */
export const chainHeights = (height: 'final' | 'confirmed'): string =>
  `(select jsonb_object_agg(chain_uid, ${height}) from chain_cursor)`;

type Query = { text: string; values: unknown[]; name?: string };

const read = `select jsonb_object_agg(chain_uid, final) as final, jsonb_object_agg(chain_uid, confirmed) as confirmed
  from chain_cursor`;

/**
 * The statement with the heights as values. The coordinator has them, and Citus would send them to the worker as a file for
 * each statement that reads them beside alerts.
 */
export async function bindChainHeights(
  config: Query,
  ask: (query: Query) => Promise<{ rows: Record<string, unknown>[] }>,
): Promise<Query> {
  if (!config.text.includes('from chain_cursor)')) return config;
  const { rows } = await ask({ name: 'vigil_heights', text: read, values: [] });
  let { text } = config;
  const values = [...config.values];
  for (const height of ['final', 'confirmed'] as const) {
    const place = `$${values.length + 1}::jsonb`;
    const bound = text.replaceAll(chainHeights(height), place);
    if (bound !== text) values.push(JSON.stringify(rows[0]?.[height] ?? null));
    text = bound;
  }
  return { ...config, ...(config.name && { name: `${config.name}_heights` }), text, values };
}

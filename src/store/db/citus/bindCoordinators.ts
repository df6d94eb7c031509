/** SQL: the heights of all chains in one object, which PostgreSQL reads once per statement instead of once per row. */
export const chainHeights = (height: 'final' | 'confirmed'): string =>
  `(select jsonb_object_agg(chain_uid, ${height}) from chain_cursor)`;

type Query = { text: string; values: unknown[]; name?: string };
type Ask = (query: Query) => Promise<{ rows: Record<string, unknown>[] }>;

const heights =
  'jsonb_object_agg(chain_uid, final) as final, jsonb_object_agg(chain_uid, confirmed) as confirmed';
const readHeights: Query = {
  name: 'vigil_heights',
  text: `select ${heights} from chain_cursor`,
  values: [],
};

/** True if a statement may read tables that only the coordinator has. */
export function needsCoordinator(text: string): boolean {
  return text.includes('from chain_cursor)');
}

/**
 * Replaces reads of coordinator tables (heights of chains) with values from one statement.
 * Citus would send them to the worker as files for each statement.
 */
export async function bindCoordinators(config: Query, ask: Ask): Promise<Query> {
  if (!needsCoordinator(config.text)) return config;
  const values = [...config.values];
  const { rows } = await ask(readHeights);
  let { text } = config;
  for (const height of ['final', 'confirmed'] as const) {
    const placeholder = `$${values.length + 1}::jsonb`;
    const bound = text.replaceAll(chainHeights(height), placeholder);
    if (bound !== text) values.push(JSON.stringify(rows[0]?.[height] ?? null));
    text = bound;
  }
  return { ...config, ...(config.name && { name: `${config.name}_bound` }), text, values };
}

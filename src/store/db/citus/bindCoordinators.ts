import { type Sql, sql } from '../../../lib/sql.ts';

/** SQL: the heights of all chains in one object, which PostgreSQL reads once per statement instead of once per row. */
export const chainHeights = (height: 'final' | 'confirmed'): string =>
  `(select jsonb_object_agg(chain_uid, ${height}) from chain_cursor)`;

/** SQL: whether the contract is there. */
export const contractProof = (id: number, tenantId: number): Sql =>
  sql`exists (select 1 from contract c where c.id = ${id} and c.tenant_id = ${tenantId} and c.status <> 'DELETED')`;

const proof =
  /exists \(select 1 from contract c where c\.id = \$(\d+) and c\.tenant_id = \$(\d+) and c\.status <> 'DELETED'\)/g;

type Query = { text: string; values: unknown[]; name?: string };
type Ask = (query: Query) => Promise<{ rows: Record<string, unknown>[] }>;

const heights =
  'jsonb_object_agg(chain_uid, final) as final, jsonb_object_agg(chain_uid, confirmed) as confirmed';
const readHeights: Query = {
  name: 'vigil_heights',
  text: `select ${heights} from chain_cursor`,
  values: [],
};
const readProof = (values: unknown[]): Query => ({
  name: 'vigil_heights_proof',
  text: `select ${heights},
      exists (select from contract where id = $1 and tenant_id = $2 and status <> 'DELETED') as proven
    from chain_cursor`,
  values,
});

/** True if a statement may read tables that only the coordinator has. */
export function needsCoordinator(text: string): boolean {
  return text.includes('from chain_cursor)') || text.includes('exists (select 1 from contract c where');
}

/**
 * Replaces reads of coordinator tables (heights of chains, existence of a contract) with values from one statement.
 * Citus would send them to the worker as files for each statement.
 */
export async function bindCoordinators(config: Query, ask: Ask): Promise<Query> {
  const places = [...config.text.matchAll(proof)].flatMap((match) =>
    match.slice(1).map((position) => Number(position) - 1),
  );
  const [id, tenantId] = places;
  const isProof = id !== undefined && tenantId !== undefined;
  if (!isProof && !config.text.includes('from chain_cursor)')) return config;
  const values = [...config.values];
  const { rows } = await ask(isProof ? readProof([values[id], values[tenantId]]) : readHeights);
  // In the places of the contract and its tenant, because every value of a statement has to be used. A statement is about one.
  for (const index of places) values[index] = rows[0]?.proven === true;
  let text = config.text.replaceAll(proof, '($$$1::boolean and $$$2::boolean)');
  for (const height of ['final', 'confirmed'] as const) {
    const placeholder = `$${values.length + 1}::jsonb`;
    const bound = text.replaceAll(chainHeights(height), placeholder);
    if (bound !== text) values.push(JSON.stringify(rows[0]?.[height] ?? null));
    text = bound;
  }
  return { ...config, ...(config.name && { name: `${config.name}_bound` }), text, values };
}

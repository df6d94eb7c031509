import Fastify, { type FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { Recording, Statement } from './recordStatements.ts';

/** Replays a recording; `replace` maps the recorded values that differ from request to request to those of this one. */
export type BareRoute = {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  recording: Recording;
  replace?: (request: FastifyRequest) => Map<unknown, unknown>;
};

/**
 * The least a server can do: run the statements and answer with the rows as JSON. Nothing is checked or written down.
 */
export async function startBareServer(
  pool: pg.Pool,
  routes: readonly BareRoute[],
): Promise<{ url: string; close(): Promise<void> }> {
  const app = Fastify({ forceCloseConnections: true });
  const names = new Map<string, string>();
  for (const { method, url, recording, replace } of routes) {
    const queries = recording.statements.map((statement) => toQuery(statement, names));
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const replaced = replace?.(request);
        const values = (query: Query) =>
          replaced
            ? query.values.map((value) => (replaced.has(value) ? replaced.get(value) : value))
            : query.values;
        const rows = recording.isTransaction
          ? await runTogether(pool, queries, values)
          : await runAll(pool, queries, values);
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(rows));
      },
    });
  }
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() };
}

type Query = { name?: string; text: string; values: unknown[] };
type Values = (query: Query) => unknown[];

/** Prepared where Vigil prepares, and as there one name for one text. */
function toQuery({ text, values, isPrepared }: Statement, names: Map<string, string>): Query {
  if (!isPrepared) return { text, values };
  const name = names.get(text) ?? `bare_${names.size}`;
  names.set(text, name);
  return { name, text, values };
}

async function runTogether(pool: pg.Pool, queries: readonly Query[], values: Values): Promise<unknown[]> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const rows = await runAll(client, queries, values);
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Returns the last rows there were: the record read back, or the page. */
async function runAll(
  db: pg.Pool | pg.PoolClient,
  queries: readonly Query[],
  values: Values,
): Promise<unknown[]> {
  let rows: unknown[] = [];
  for (const query of queries) {
    const result = await db.query({ ...query, values: values(query) });
    if (result.rows.length > 0) rows = result.rows;
  }
  return rows;
}

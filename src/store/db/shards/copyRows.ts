import type pg from 'pg';
import { nextOf, nextSchema } from './nextTables.ts';
import { forgetChanges } from './noteChanges.ts';
import type { TablePart, TableShape } from './tableShape.ts';

/** Rows of one transaction; about a second. */
const rowsPerChunk = 10_000;

/** Parts that were copied, and how far the others are; for a run after this one. */
export async function createProgress(client: pg.Client): Promise<void> {
  await client.query(
    `create table if not exists ${nextSchema}.progress (part text primary key, upto text[], is_done boolean not null)`,
  );
}

export async function isCopied(client: pg.Client, part: string): Promise<boolean> {
  const { rowCount } = await client.query(`select from ${nextSchema}.progress where part = $1 and is_done`, [
    part,
  ]);
  return rowCount !== 0;
}

/**
 * Copies a part of a table to the workers in the order of its keys, chunk by chunk, while it is used. Continues where an earlier run
 * ended. `onRows` gets the number of rows of each chunk.
 */
export async function copyPart(
  client: pg.Client,
  shape: TableShape,
  part: TablePart | undefined,
  onRows: (rows: number) => void,
): Promise<void> {
  const { keys, columns } = shape;
  const name = part?.name ?? shape.name;
  const source = part ? `${shape.home.split('.')[0]}.${name}` : shape.home;
  const order = keys.map((key) => key.name).join(', ');
  const names = `(${order})`;
  const beyond = (upto: readonly string[] | null, sign: '>' | '<=') =>
    upto === null
      ? 'true'
      : `${names} ${sign} (${keys.map(({ type }, n) => `${client.escapeLiteral(upto[n] ?? '')}::${type}`).join(', ')})`;

  const { rows: started } = await client.query<{ upto: string[] | null }>(
    `select upto from ${nextSchema}.progress where part = $1`,
    [name],
  );
  if (!started[0]) {
    await forgetChanges(client, shape, part);
    await client.query(`insert into ${nextSchema}.progress values ($1, null, false)`, [name]);
  }
  let upto = started[0]?.upto ?? null;
  // A worker may have what its coordinator does not know of, because that died in between.
  if (started[0]) await client.query(`delete from ${nextSchema}.${name} where ${beyond(upto, '>')}`);
  for (;;) {
    const { rows } = await client.query<{ key: string[] }>(
      `select array[${keys.map((key) => `${key.name}::text`).join(', ')}] as key from ${source}
        where ${beyond(upto, '>')} order by ${order} offset ${rowsPerChunk - 1} limit 1`,
    );
    const last: string[] | null = rows[0]?.key ?? null;
    await client.query('begin');
    try {
      const { rowCount } = await client.query(
        `insert into ${nextOf(shape)} (${columns.join(', ')}) select ${columns.join(', ')} from ${source}
          where ${beyond(upto, '>')} and ${beyond(last, '<=')}`,
      );
      await client.query(`update ${nextSchema}.progress set upto = $2, is_done = $3 where part = $1`, [
        name,
        last,
        last === null,
      ]);
      await client.query('commit');
      onRows(rowCount ?? 0);
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
    if (last === null) return;
    upto = last;
  }
}

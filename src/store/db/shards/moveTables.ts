import type pg from 'pg';
import { distributedTables } from '../citus/distributedTables.ts';
import { createShardFunctions } from '../citus/shardFunctions.ts';
import { copyPart, createProgress, isCopied } from './copyRows.ts';
import { onlyHere } from './forceTwoPhases.ts';
import { createNext, createNextParts, nextOf, nextSchema } from './nextTables.ts';
import { forgetChanges, noteChanges } from './noteChanges.ts';
import { oldSchema, switchTables } from './switchTables.ts';
import { readParts, readShape, type TablePart, type TableShape } from './tableShape.ts';

type Report = (line: string) => void;

/**
 * Moves tables to the workers beside traffic: creates them there, copies old months first, and then lets all tables change places
 * in one short transaction. Each step is done once, also by a run after one that died.
 */
export async function moveTables(
  client: pg.Client,
  tables: readonly string[],
  shards: number,
  report: Report,
): Promise<void> {
  await client.query(`create schema if not exists ${nextSchema}`);
  await onlyHere(client, async () => {
    await client.query(`create schema if not exists ${oldSchema}`);
    await createProgress(client);
  });
  const shapes: TableShape[] = [];
  for (const table of tables) shapes.push(await readShape(client, table));
  const [first] = distributedTables;
  const leader = shapes.find(({ name }) => name === first);
  const leading = leader ? nextOf(leader) : first;
  for (const shape of shapes) {
    const how = shape === leader ? `'none', shard_count => ${shards}` : `'${leading}'`;
    await createNext(client, shape, `colocate_with => ${how}`);
    await onlyHere(client, () => noteChanges(client, shape));
    report(`${shape.name}: created on the workers, changes are noted`);
  }
  await createShardFunctions(client, leading);
  report('Functions: created');
  const estimate = await createEstimate(client, shapes, report);
  do await copyAll(client, shapes, estimate, report);
  while (!(await switchTables(client, shapes, report)));
  for (const table of tables) report(`${table}: distributed`);
}

async function copyAll(
  client: pg.Client,
  shapes: readonly TableShape[],
  estimate: Estimate,
  report: Report,
): Promise<void> {
  for (const shape of shapes) {
    await createNextParts(client, shape);
    const parts = shape.isPartitioned
      ? await readParts(client, shape.home.split('.')[0] ?? '', shape)
      : [undefined];
    for (const [index, part] of parts.entries()) {
      const name = part?.name ?? shape.name;
      if (await isCopied(client, name)) continue;
      await forgetAll(client, shape, parts.slice(index));
      const rows = await estimate(name, (onRows) => copyPart(client, shape, part, onRows));
      await client.query(`analyze ${nextSchema}.${name}`);
      report(`${name}: ${rows.toLocaleString('en')} rows copied`);
    }
  }
}

/** What is still to be copied as a whole needs no notes; those of a long move would fill the disk. */
async function forgetAll(
  client: pg.Client,
  shape: TableShape,
  parts: readonly (TablePart | undefined)[],
): Promise<void> {
  for (const part of parts) {
    const { rowCount } = await client.query(`select from ${nextSchema}.progress where part = $1`, [
      part?.name ?? shape.name,
    ]);
    if (rowCount === 0) await forgetChanges(client, shape, part);
  }
}

type Estimate = (part: string, copy: (onRows: (rows: number) => void) => Promise<void>) => Promise<number>;

const reportMs = 5000;

/** Says how much is copied, and how long the rest may take, by the sizes of the parts. */
async function createEstimate(
  client: pg.Client,
  shapes: readonly TableShape[],
  report: Report,
): Promise<Estimate> {
  const { rows: sizes } = await client.query<{ part: string; bytes: string; rows: number }>(
    `select c.relname as part, pg_table_size(c.oid) as bytes, greatest(c.reltuples, 0) as rows
      from unnest($1::text[]) t(name), pg_partition_tree(t.name::regclass) p join pg_class c on c.oid = p.relid
      where p.isleaf and not exists (select from ${nextSchema}.progress g where g.part = c.relname and g.is_done)`,
    [shapes.map(({ home }) => home)],
  );
  const known = new Map(sizes.map(({ part, bytes, rows }) => [part, { bytes: Number(bytes), rows }]));
  const total = sizes.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  report(`Copying ${toMegabytes(total)} MB in ${sizes.length} parts, the newest months last …`);
  const startedAt = performance.now();
  let done = 0;
  return async (part, copy) => {
    const { bytes = 0, rows: expected = 0 } = known.get(part) ?? {};
    let rows = 0;
    let reportedAt = performance.now();
    await copy((count) => {
      rows += count;
      if (performance.now() - reportedAt < reportMs) return;
      reportedAt = performance.now();
      const copied = done + bytes * Math.min(1, rows / Math.max(expected, rows, 1));
      const seconds = (performance.now() - startedAt) / 1000;
      const left = Math.max(0, total - copied) / (copied / seconds || 1);
      report(
        `${part}: ${rows.toLocaleString('en')} rows; ${toMegabytes(copied)} of ${toMegabytes(total)} MB, ` +
          `about ${left < 90 ? `${Math.ceil(left)} s` : `${Math.ceil(left / 60)} min`} left`,
      );
    });
    done += bytes;
    return rows;
  };
}

const toMegabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20).toLocaleString('en');

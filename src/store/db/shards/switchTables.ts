import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { layoutLock } from '../citus/layoutLock.ts';
import { createTwoPhaseTriggers } from './forceTwoPhases.ts';
import { createNextParts, nextOf, nextSchema } from './nextTables.ts';
import { applyChanges, applyIn, changesPerRound } from './noteChanges.ts';
import { readParts, type TableShape } from './tableShape.ts';

/** Schema of the tables that were in use, until they are dropped. */
export const oldSchema = 'vigil_old';

/** The locks of one attempt, behind which all others wait. */
const lockMs = 2000;
/** Time for which requests may wait until the tables have changed places, well below the time limit of a statement. */
const switchMs = 10_000;
const attempts = 100;
const pauseMs = 1000;
const maxPauseMs = 15_000;
const retryable = ['55P03', '40P01', '57014'];

/**
 * Puts the distributed tables in the places of those in use, all in one transaction. Sessions that know the former ones are ended
 * first, and new ones wait until it is done.
 */
export async function switchTables(
  client: pg.Client,
  shapes: readonly TableShape[],
  report: (line: string) => void,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    for (const shape of shapes) {
      let applied = changesPerRound;
      while (applied === changesPerRound) {
        if (await createNextParts(client, shape)) return false;
        applied = await applyChanges(client, shape);
      }
    }
    const startedAt = performance.now();
    try {
      const isDone = await trySwitch(client, shapes);
      if (isDone)
        report(`Switched to the workers; requests waited ${Math.round(performance.now() - startedAt)} ms`);
      return isDone;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      const mayRetry = error instanceof pg.DatabaseError && retryable.includes(error.code ?? '');
      if (!mayRetry || attempt === attempts) throw error;
      if (attempt % 10 === 1) report(`Waiting for a moment without long searches and transactions …`);
    }
    await sleep(Math.min(attempt * pauseMs, maxPauseMs));
  }
}

/** False where a month has come meanwhile, which has to be copied first. */
async function trySwitch(client: pg.Client, shapes: readonly TableShape[]): Promise<boolean> {
  const endsAt = performance.now() + switchMs;
  const schema = shapes[0]?.home.split('.')[0] ?? '';
  const run = async (statement: string, values: unknown[] = []) => {
    const leftMs = Math.max(1, Math.round(endsAt - performance.now()));
    await client.query(`set local statement_timeout = ${leftMs}`);
    return client.query(statement, values);
  };
  await client.query(`begin; set local lock_timeout = ${lockMs}`);
  // Moves of tables are not planned side by side.
  await run(`set local citus.multi_shard_modify_mode = 'sequential'`);
  await run(`lock table ${shapes.map((shape) => shape.home).join(', ')} in access exclusive mode`);
  await run('select pg_advisory_xact_lock($1)', [layoutLock]);
  await endSessions(client);
  for (const shape of shapes) {
    const next = await readParts(client, nextSchema, shape);
    const parts = new Set((await readParts(client, schema, shape)).map(({ name }) => name));
    for (const { name } of next) if (!parts.delete(name)) await run(`drop table ${nextSchema}.${name}`);
    if (parts.size > 0) {
      await client.query('rollback');
      return false;
    }
    await applyIn(client, shape, undefined);
  }
  for (const shape of shapes) {
    for (const { name } of await readParts(client, schema, shape))
      await run(`alter table ${schema}.${name} set schema ${oldSchema}`);
    await run(`alter table ${shape.home} set schema ${oldSchema}`);
    const parts = await readParts(client, nextSchema, shape);
    await run(`alter table ${nextOf(shape)} set schema ${schema}`);
    for (const { name } of parts) await run(`alter table ${nextSchema}.${name} set schema ${schema}`);
  }
  await createTwoPhaseTriggers(client);
  await run('commit');
  return true;
}

/**
 * Ends all sessions but those that only listen: they may have decided by where the tables were. Vigil connects again at once, and
 * asks again.
 */
async function endSessions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ pid: number; role: string; isVigil: boolean; mayEnd: boolean }>(
    `select a.pid, a.usename as role, a.application_name like 'vigil%' as "isVigil",
        own.rolsuper or (pg_has_role(a.usesysid, 'member') and not r.rolsuper) as "mayEnd"
      from pg_stat_activity a join pg_roles r on r.oid = a.usesysid join pg_roles own on own.rolname = current_user
      where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
        and a.application_name not like 'citus%' and a.application_name <> 'vigil listen'`,
  );
  const kept = rows.find(({ isVigil, mayEnd }) => isVigil && !mayEnd);
  if (kept)
    throw new Error(
      `Vigil works as the role ${kept.role}, whose sessions this role cannot end: use one role on a cluster of Citus.`,
    );
  await client.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [
    rows.filter(({ mayEnd }) => mayEnd).map(({ pid }) => pid),
  ]);
}

/** Drops what is no longer needed after the switch. */
export async function dropFormer(client: pg.Client): Promise<void> {
  await client.query(`drop schema if exists ${oldSchema} cascade`);
  await client.query(`drop schema if exists ${nextSchema} cascade`);
}

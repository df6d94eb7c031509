import type pg from 'pg';
import { median } from './median.ts';
import type { Recording } from './recordStatements.ts';

/** Where the time of one page goes, in milliseconds, with nothing else running. */
export type Split = {
  postgres: number;
  driver: number;
  stringify: number;
  http: number;
  vigil: number;
  total: number;
};

/** `ask` sends one kind of request alone for a while and gives the median time of its answers. */
export async function splitPage(
  pool: pg.Pool,
  recording: Recording,
  ask: (server: 'ours' | 'bare') => Promise<number>,
): Promise<Split> {
  const { text, values } = recording.statements[0]!;
  const rounds = 9;
  const postgres: number[] = [];
  const query: number[] = [];
  const stringify: number[] = [];
  const bare: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round++) {
    postgres.push(await timeInPostgres(pool, text, values));
    const began = performance.now();
    const { rows } = await pool.query({ name: 'split', text, values });
    const queried = performance.now();
    JSON.stringify({ data: rows });
    query.push(queried - began);
    stringify.push(performance.now() - queried);
    bare.push(await ask('bare'));
    ours.push(await ask('ours'));
  }
  const times = {
    postgres: median(postgres),
    query: median(query),
    stringify: median(stringify),
    bare: median(bare),
    ours: median(ours),
  };
  return {
    postgres: times.postgres,
    driver: times.query - times.postgres,
    stringify: times.stringify,
    http: times.bare - times.query - times.stringify,
    vigil: times.ours - times.bare,
    total: times.ours,
  };
}

/** The server's own measure, turning the rows into text included, sending them not. */
async function timeInPostgres(pool: pg.Pool, text: string, values: unknown[]): Promise<number> {
  const { rows } = await pool.query<{
    'QUERY PLAN': { 'Planning Time': number; 'Execution Time': number }[];
  }>(`explain (analyze, serialize text, timing off, buffers off, format json) ${text}`, values);
  const plan = rows[0]!['QUERY PLAN'][0]!;
  return plan['Planning Time'] + plan['Execution Time'];
}

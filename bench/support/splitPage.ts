import type pg from 'pg';
import type { Recording } from './recordStatements.ts';

const rounds = 12;

/** Where the time of one page goes, in milliseconds, with nothing else running. */
export type Split = {
  postgres: number;
  driver: number;
  stringify: number;
  http: number;
  vigil: number;
  total: number;
};

/** `ask` sends the page's request alone for a while and gives the typical time of its answers. */
export async function splitPage(
  pool: pg.Pool,
  recording: Recording,
  ask: (server: 'ours' | 'bare') => Promise<number>,
): Promise<Split> {
  const { text, values } = recording.statements[0]!;
  // The best of several: whatever else the machine does can only make a step longer.
  const best = { postgres: Infinity, query: Infinity, stringify: Infinity, bare: Infinity, ours: Infinity };
  const note = (step: keyof typeof best, ms: number) => {
    best[step] = Math.min(best[step], ms);
  };
  for (let round = 0; round < rounds; round++) {
    note('postgres', await timeInPostgres(pool, text, values));
    const began = performance.now();
    const { rows } = await pool.query({ name: 'split', text, values });
    const queried = performance.now();
    JSON.stringify({ data: rows });
    note('query', queried - began);
    note('stringify', performance.now() - queried);
    note('bare', await ask('bare'));
    note('ours', await ask('ours'));
  }
  return {
    postgres: best.postgres,
    driver: best.query - best.postgres,
    stringify: best.stringify,
    http: best.bare - best.query - best.stringify,
    vigil: best.ours - best.bare,
    total: best.ours,
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

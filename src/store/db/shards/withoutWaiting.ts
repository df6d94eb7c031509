import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** What waits behind a lock that is waited for waits as well, so never for long. */
const lockMs = 1000;
const attempts = 60;
const pauseMs = 500;

/** Lock not available, deadlock, and a statement that took too long. */
const retryable = ['55P03', '40P01', '57014'];

/** Runs statements that take strong locks as one transaction, again and again until all locks were free. */
export async function withoutWaiting(client: pg.Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await client.query(`begin; set local lock_timeout = ${lockMs}`);
    try {
      await work();
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      const mayRetry = error instanceof pg.DatabaseError && retryable.includes(error.code ?? '');
      if (!mayRetry || attempt === attempts) throw error;
    }
    await sleep(pauseMs);
  }
}

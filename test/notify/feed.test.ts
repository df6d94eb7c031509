import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { everything } from '../../src/model/principal.ts';
import { createAlertFeed } from '../../src/services/alerts/createAlertFeed.ts';
import type { Db } from '../../src/store/db/db.ts';
import { addSource } from '../../testing/addSource.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';

let api: TestApi;
let alertUid: string;
beforeAll(async () => {
  api = await startTestApi();
  const { id } = await api.ok('POST', 'tenant', { name: 'Streams' });
  const { detectorId } = await addSource(api, id);
  const { results } = await api.ok('POST', `detector/${detectorId}/alert`, {
    alerts: [{ eid: 'one', message: 'Found.' }],
  });
  alertUid = results[0].uid;
});
afterAll(() => api.stop());

/** That something happened to the alert this often. */
async function tell(count: number): Promise<void> {
  await api.store.query(
    sql`insert into alert_event (tenant_id, contract_id, alert_uid, alert_timestamp, type, at)
      select t.tenant_id, t.contract_id, t.uid, t.timestamp, 'raised', ${Date.now()}
      from alert t, generate_series(1, ${count}) where t.uid = ${alertUid}::uuid`,
  );
}

async function countEvents(): Promise<number> {
  const rows = await api.store.query<{ count: number }>(sql`select count(*) as count from alert_event`);
  return rows[0]!.count;
}

/** A feed over a store that may be away, and what it has read so far. */
function open() {
  const state: { fault: Error | undefined; read: number } = { fault: undefined, read: 0 };
  const db: Db = {
    ...api.store,
    query: async (statement) => {
      // Longer than the feed waits before it looks by itself.
      if (state.fault) await sleep(600);
      if (state.fault) throw state.fault;
      return api.store.query(statement);
    },
  };
  const feed = createAlertFeed({ db, listen: () => async () => {}, onError: () => {} });
  const matches = () => {
    state.read++;
    return true;
  };
  return {
    feed,
    state,
    follow: () =>
      feed.follow({
        scope: everything,
        owner: 'tenant 1',
        query: {
          key: 'any',
          matcher: { predicate: { type: 'all' }, matches, matchesPaced: async () => matches(), cost: 0 },
        },
        after: undefined,
        isLive: true,
      }),
  };
}

describe('a stream', () => {
  it('a stream that fell too far behind ends without leaving anything out', async () => {
    const { feed, state, follow } = open();
    const stream = follow();
    const next = stream.next();
    await sleep(100);
    await tell(10_100);
    const seen = [(await next).value?.id];
    await until(() => state.read >= 10_001);
    await sleep(300);
    // A place becomes free, which what comes now must not take.
    seen.push((await stream.next()).value?.id);
    await tell(1);
    await sleep(1200);
    for await (const event of stream) seen.push(event?.id);
    await feed.close();
    const rows = await api.store.query<{ id: string }>(
      sql`select xid::text || '-' || seq as id from alert_event order by xid, seq offset 1 limit ${seen.length}`,
    );
    // As many as there is room for in bytes.
    expect(seen.length).toBeGreaterThan(5000);
    expect(seen.length).toBeLessThan(await countEvents());
    expect(seen).toEqual(rows.map(({ id }) => id));
  });

  it('fails when the feed cannot begin, however many wait for that, and the next one works', async () => {
    const { feed, state, follow } = open();
    state.fault = new Error('The store is away.');
    const first = follow().next();
    // Another is told of news meanwhile.
    await sleep(510);
    const outcomes = Promise.allSettled([first, follow().next(), follow().next()]);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    state.fault = undefined;
    const stream = follow();
    const next = stream.next();
    await sleep(100);
    await tell(1);
    expect((await next).value).toMatchObject({ type: 'raised' });
    await feed.close();
    expect((await stream.next()).done).toBe(true);
  });
});

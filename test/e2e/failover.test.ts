import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitHosts } from '../../src/lib/splitHosts.ts';
import { sql } from '../../src/lib/sql.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { watchPrimary } from '../../src/store/db/watchPrimary.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { startReplicated } from '../../testing/startReplicated.ts';
import type { Answer, Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { detectorMaker } from '../watch/support/detectorMaker.ts';
import { newOwner, token } from '../watch/support/watchedWorld.ts';

describe('Vigil on a primary and a synchronous standby', () => {
  const random = createRandom('failover');
  const chain = createSimChain({ chainId: 31337, seed: random.seed });
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  let servers: Awaited<ReturnType<typeof startReplicated>>;
  let vigil: Vigil;
  let mining: NodeJS.Timeout | undefined;
  beforeAll(async () => {
    workspace = await createWorkspace();
    [simulator, servers] = await Promise.all([
      startSimulator({ chain }),
      startReplicated({ primary: workspace.folder('first'), standby: workspace.folder('second') }),
    ]);
    vigil = await workspace.serve(workspace.folder('data'), {
      // The order of the hosts does not matter.
      DATABASE_URL: servers.url.replace(/host=(.*),(.*)/, 'host=$2,$1'),
      DATABASE_REPLICA_URLS: servers.standbyUrl,
      VIGIL_ADMIN_TOKEN: 'a-token-of-the-environment-0123456789',
      VIGIL_RPC_ANVIL: simulator.wsUrl,
      VIGIL_CHAIN_ANVIL_START_BLOCK: '1',
    });
    await detectorMaker(vigil, token, [['ownership_change', {}]]);
    const plan = await vigil.ok('POST', 'plan', { name: 'Wide', ...limits });
    await vigil.ok('POST', 'subscription', {
      tenantId: (await vigil.ok('POST', 'tenant/search', {})).data[0].id,
      planId: plan.id,
      expirationDate: 4_000_000_000_000,
    });
  });
  afterAll(async () => {
    clearInterval(mining);
    await vigil?.stop();
    await workspace.remove();
    await simulator?.stop();
  });

  const processed = async () => {
    const { status, body } = await vigil.call('GET', 'chain');
    return status === 200 ? body.data.find((each: Json) => each.chainUid === 'anvil').processed : -1;
  };
  const alerts = async (): Promise<Json[]> =>
    (await vigil.ok('POST', 'alert/search', { size: 10_000, sort: [{ field: 'timestamp' }] })).data;

  it('vigil doctor names the roles, and the faults that would lose data', async () => {
    const run = (url: string) => workspace.run(['doctor'], workspace.folder('data'), { DATABASE_URL: url });
    const good = await run(servers.url);
    expect(good.stdout).toMatch(
      /takes writes, timeline 1, \d+ processes watch[\s\S]*followed by standby: streaming, sync, \d+ bytes/,
    );
    expect(good.stdout).toContain('Nothing is wrong with the database servers.');
    expect(good.code).toBe(0);
    const alone = await run(`${servers.standbyUrl},/nowhere`);
    expect(alone.stdout).toContain('Fault: No server of DATABASE_URL takes writes; promote a standby.');
    expect(alone.stdout).toContain('Fault: /nowhere:5432 cannot be reached');
    expect(alone.code).toBe(1);
  });

  it('searches are answered by the standby, with their age, and a caller always finds what it has just written', async () => {
    const { data: tenants } = await vigil.ok('POST', 'tenant/search', {});
    const search = (where: string) => vigil.call('POST', 'project/search', { where });
    const isFromReplica = ({ headers }: Answer) => headers.get('x-data-age-ms') !== null;
    await until(async () => isFromReplica(await search('id > 0')));
    expect(await (await fetch(`${vigil.url}/metrics`)).text()).toMatch(
      /vigil_replica_age_seconds\{replica="1"\} \d/,
    );
    expect((await vigil.call('GET', '/readyz')).body.replicas).toHaveLength(1);
    const standby = openStore({ ...servers.standby, max: 1 }, () => {});
    await standby.query(sql`select pg_wal_replay_pause()`);
    const paused = sql`select 1 where pg_get_wal_replay_pause_state() = 'paused'`;
    await until(async () => (await standby.query(paused)).length > 0);
    await vigil.ok('POST', 'project', { tenantId: tenants[0].id, name: 'Just now' });
    const answer = await search("name = 'Just now'");
    expect(answer.body.data).toHaveLength(1);
    expect(isFromReplica(answer)).toBe(false);
    await standby.query(sql`select pg_wal_replay_resume()`);
    await until(async () => isFromReplica(await search("name = 'Just now'")));
    expect((await search("name = 'Just now'")).body.data).toHaveLength(1);
    await standby.close();
  });

  it('the primary is killed under load: nothing acknowledged is lost, no alert is missing or twice, callers get 503 meanwhile', async () => {
    const streaming = new AbortController();
    const streamed: string[] = [];
    const stream = (async () => {
      const onState = () => {
        mining ??= setInterval(() => chain.extend({ logs: [newOwner(random)] }), 100);
      };
      for await (const { type, alert } of vigil.follow({ signal: streaming.signal, onState }))
        if (type === 'raised') streamed.push(alert.uid);
    })().catch((error: unknown) => {
      if (!streaming.signal.aborted) throw error;
    });
    await until(async () => (await processed()) > 5);
    const load = startLoad(vigil, (await vigil.ok('POST', 'tenant/search', {})).data[0].id);
    await until(() => load.created.length > 20);
    const killedAt = performance.now();
    await servers.failOver();
    const createdBefore = load.created.length;
    await until(() => load.created.length > createdBefore + 20);
    const servedMs = performance.now() - killedAt;
    const reached = await processed();
    await until(async () => (await processed()) > reached + 5);
    console.log(
      `SEED=${random.seed}: served again ${Math.round(servedMs)} ms and followed again ${Math.round(performance.now() - killedAt)} ms after the kill`,
    );
    await load.stop();
    clearInterval(mining);
    await until(async () => (await processed()) === chain.head.number);

    const unexpected = load.answers.filter(({ status }) => status !== 201 && status !== 503);
    expect(unexpected.map(({ text }) => text)).toEqual([]);
    for (const { status, headers } of load.answers)
      if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(vigil.stderr()).not.toContain('Request failed unexpectedly');
    const { data } = await vigil.ok('POST', 'project/search', { size: 10_000 });
    const names = new Set(data.map(({ name }: Json) => name));
    expect(load.created.filter((name) => !names.has(name))).toEqual([]);

    const raised = (await alerts()).filter(({ blockNumber }) => blockNumber !== null);
    expect(raised.map(({ blockNumber }) => blockNumber)).toEqual(
      chain.blocks.slice(1).map(({ number }) => number),
    );
    await until(() => streamed.length >= raised.length);
    // Each once, whatever the order.
    expect(streamed).toHaveLength(raised.length);
    expect(new Set(streamed)).toEqual(new Set(raised.map(({ uid }) => uid)));
    streaming.abort();
    await stream;
  });

  it('a former primary that comes back and still takes writes is not used', async () => {
    await servers.returnOld();
    const primary = watchPrimary(splitHosts(servers.url), () => {});
    expect((await primary.find()).host).toBe(servers.standby.host);
    await primary.stop();
  });

  it('a change that no standby has confirmed is not acknowledged', async () => {
    const store = openStore({ ...servers.standby, max: 2 }, () => {});
    try {
      await store.query(sql`create table mark (at int)`);
      await store.query(sql`alter system set synchronous_standby_names = 'nobody'`);
      await store.query(sql`select pg_reload_conf()`);
      // The server takes the setting over a moment later; from then on a commit waits, and an impatient operator ends that.
      const cancel = sql`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
      const cancelled = async (commit: Promise<unknown>) => {
        const settled = commit.then(
          () => 'acknowledged',
          ({ code }) => code,
        );
        // Again and again, because at first it may find only a commit of the Vigil that runs beside.
        return until(async () => {
          await store.query(cancel);
          return Promise.race([settled, sleep(50)]);
        });
      };
      const write = sql`insert into mark values (1)`;
      await until(async () => (await cancelled(store.query(write))) === 'unavailable');
      expect(await cancelled(store.transaction((tx) => tx.query(write)))).toBe('unavailable');
    } finally {
      await store.query(sql`alter system reset synchronous_standby_names`);
      await store.query(sql`select pg_reload_conf()`);
      await store.close();
    }
  });
});

const limits = {
  maxUsers: 1,
  maxContracts: 1,
  maxProjects: 1_000_000,
  maxTriggers: 1,
  maxDetectors: 1,
  maxWallets: 1,
  maxActions: 1,
  maxApiKeys: 1,
};

let count = 0;

/** Writers that go on whatever they are answered. */
function startLoad(vigil: Vigil, tenantId: number) {
  const answers: Answer[] = [];
  const created: string[] = [];
  const load = { isOver: false };
  const write = async () => {
    while (!load.isOver) {
      const name = `Project ${++count}`;
      const answer = await vigil.call('POST', 'project', { tenantId, name });
      answers.push(answer);
      if (answer.status === 201) created.push(name);
      await sleep(5);
    }
  };
  const writing = Promise.all([write(), write(), write()]);
  return {
    answers,
    created,
    stop: () => {
      load.isOver = true;
      return writing;
    },
  };
}

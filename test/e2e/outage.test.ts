import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kill, postgresProcesses, postmasterOf } from '../../testing/bundledPostgres.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import type { Answer } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';

describe('Vigil when its bundled server ends', () => {
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let dataDir: string;
  let vigil: Vigil;
  let tenantId: number;
  beforeAll(async () => {
    workspace = await createWorkspace({ isBundled: true });
    dataDir = workspace.folder('data');
    vigil = await workspace.serve(dataDir);
    tenantId = (await vigil.ok('POST', 'tenant', { name: 'Busy' })).id;
    const plan = await vigil.ok('POST', 'plan', { name: 'Wide', ...limits });
    await vigil.ok('POST', 'subscription', { tenantId, planId: plan.id, expirationDate: 4_000_000_000_000 });
  });
  afterAll(() => workspace.remove());

  const ends: [string, () => Promise<void>][] = [
    ['its first process is killed', async () => kill(await postmasterOf(dataDir))],
    ['an operator stops it', async () => void process.kill(await postmasterOf(dataDir), 'SIGINT')],
    [
      'all of its processes are killed',
      async () =>
        (await postgresProcesses(dataDir)).forEach((pid) => {
          kill(pid);
        }),
    ],
    [
      'one of its processes is killed, which restarts the others',
      async () => {
        const first = await postmasterOf(dataDir);
        kill((await postgresProcesses(dataDir)).findLast((pid) => pid !== first)!);
      },
    ],
  ];

  it.each(ends)(
    'Vigil answers 503 with Retry-After until it has brought its bundled server back, when under load %s',
    async (_, end) => {
      const load = startLoad(vigil, tenantId);
      await until(() => load.answers.length > 40);
      await end();
      await until(() => load.answers.some(({ status }) => status === 503));
      await until(async () => (await vigil.call('GET', '/readyz')).status === 200);
      const sofar = load.answers.length;
      await until(() => load.answers.length > sofar + 40);
      await load.stop();
      expect(new Set(load.answers.map(({ status }) => status))).toEqual(new Set([200, 201, 503]));
      for (const { status, headers, body } of load.answers) {
        if (status !== 503) continue;
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(body.code).toBe('unavailable');
      }
      expect(load.answers.slice(-20).map(({ status }) => status)).not.toContain(503);
      await expectKept(vigil, load.created);
    },
  );

  it('logs that the server ended and came back', async () => {
    const countLogged = (words: string) => vigil.stderr().split(words).length - 1;
    await until(() => countLogged('"msg":"Restarted PostgreSQL"') >= 3);
    expect(countLogged('"msg":"PostgreSQL exited unexpectedly; restarting"')).toBe(3);
    expect(countLogged('"msg":"Restarted PostgreSQL"')).toBe(3);
    expect(countLogged('Request failed unexpectedly')).toBe(0);
  });

  it('brings back a server that it had adopted, and stops it in the end', async () => {
    await vigil.stop('SIGKILL');
    vigil = await workspace.serve(dataDir);
    await until(() => vigil.stderr().includes('Adopted the PostgreSQL'));
    const adopted = await postmasterOf(dataDir);
    kill(adopted);
    await until(async () => (await vigil.call('GET', '/readyz')).status === 503);
    await until(async () => (await vigil.call('GET', '/readyz')).status === 200);
    expect(await postmasterOf(dataDir)).not.toBe(adopted);
    expect((await vigil.stop()).code).toBe(0);
    expect(await postgresProcesses(dataDir)).toEqual([]);
  });

  it('stops in order while the server is being brought back', async () => {
    vigil = await workspace.serve(dataDir);
    kill(await postmasterOf(dataDir));
    await until(() => vigil.stderr().includes('PostgreSQL exited unexpectedly; restarting'));
    expect((await vigil.stop()).code).toBe(0);
    expect(await postgresProcesses(dataDir)).toEqual([]);
  });

  it('ends with a clear word when the server does not come back, and starts again once the cause is gone', async () => {
    vigil = await workspace.serve(dataDir);
    const [there, away] = [join(dataDir, 'postgres', 'global'), join(dataDir, 'postgres', 'global.away')];
    await rename(there, away);
    kill(await postmasterOf(dataDir));
    const { code, stderr } = await vigil.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Vigil cannot continue: PostgreSQL exited and could not be restarted: .*did not start on/m,
    );
    await rename(away, there);
    vigil = await workspace.serve(dataDir);
    expect((await vigil.ok('GET', `tenant/${tenantId}`)).name).toBe('Busy');
    expect((await vigil.stop()).code).toBe(0);
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

/** Readers and writers that go on whatever they are answered. */
function startLoad(vigil: Vigil, tenantId: number) {
  const answers: Answer[] = [];
  const created: { id: number; name: string }[] = [];
  const load = { isOver: false };
  const write = async () => {
    const answer = await vigil.call('POST', 'project', { tenantId, name: `Project ${++count}` });
    answers.push(answer);
    if (answer.status === 201) created.push({ id: answer.body.id, name: answer.body.name });
  };
  const read = async () => void answers.push(await vigil.call('GET', `tenant/${tenantId}`));
  const loop = async (work: () => Promise<void>) => {
    while (!load.isOver) {
      await work();
      await sleep(2);
    }
  };
  const loops = Promise.all([write, write, write, write, read, read].map(loop));
  return {
    answers,
    created,
    stop: () => {
      load.isOver = true;
      return loops;
    },
  };
}

async function expectKept(vigil: Vigil, created: readonly { id: number; name: string }[]): Promise<void> {
  const { data } = await vigil.ok('POST', 'project/search', { size: 10_000 });
  const names = new Map<number, string>(data.map(({ id, name }: { id: number; name: string }) => [id, name]));
  expect(created.filter(({ id, name }) => names.get(id) !== name)).toEqual([]);
}

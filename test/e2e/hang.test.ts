import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hangServer } from '../../testing/bundledPostgres.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { startReplicated } from '../../testing/startReplicated.ts';
import type { Answer, Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { newOwner, token } from '../watch/support/watchedWorld.ts';

/** A statement on a server that hangs was given up after 20 s. */
const soonMs = 8000;

describe('Vigil on servers that stop to answer', () => {
  const random = createRandom('hang');
  const chain = createSimChain({ chainId: 31337, seed: random.seed });
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  let servers: Awaited<ReturnType<typeof startReplicated>>;
  let vigil: Vigil;
  let tenantId: number;
  let projectId: number;
  let detectorId: number;
  beforeAll(async () => {
    workspace = await createWorkspace();
    const folders = { primary: workspace.folder('first'), standby: workspace.folder('second') };
    [simulator, servers] = await Promise.all([
      startSimulator({ chain }),
      startReplicated(folders, { isBehind: true }),
    ]);
    vigil = await workspace.serve(workspace.folder('data'), {
      DATABASE_URL: servers.primaryUrl,
      DATABASE_REPLICA_URLS: servers.standbyUrl,
      VIGIL_ADMIN_TOKEN: 'a-token-of-the-environment-0123456789',
      VIGIL_RPC_ANVIL: simulator.wsUrl,
      VIGIL_CHAIN_ANVIL_START_BLOCK: '1',
    });
    ({ id: tenantId } = await vigil.ok('POST', 'tenant', { name: 'Tenant' }));
    const plan = await vigil.ok('POST', 'plan', { name: 'Wide', ...limits });
    await vigil.ok('POST', 'subscription', { tenantId, planId: plan.id, expirationDate: 4_000_000_000_000 });
    ({ id: projectId } = await vigil.ok('POST', 'project', { tenantId, name: 'Project' }));
    const contract = await vigil.ok('POST', 'contract', {
      projectId,
      name: 'Contract',
      chainUid: 'anvil',
      address: token,
    });
    const { data } = await vigil.ok('POST', 'detector/schema/search', { where: "name = 'ownership_change'" });
    const detector = { contractId: contract.id, schemaId: data[0].id, name: 'Owner', config: {} };
    await vigil.ok('POST', 'detector', detector);
    ({ id: detectorId } = await vigil.ok('POST', 'detector', { ...detector, source: 'EXTERNAL' }));
  });
  afterAll(async () => {
    await vigil?.stop();
    await workspace.remove();
    await simulator?.stop();
  });

  const timed = async (ask: Promise<Answer>) => {
    const startedAt = performance.now();
    const answer = await ask;
    return { ...answer, ms: performance.now() - startedAt };
  };
  const search = () => timed(vigil.call('POST', 'project/search', { where: 'id > 0' }));
  const isFromReplica = ({ headers }: Pick<Answer, 'headers'>) => headers.get('x-data-age-ms') !== null;
  const processed = async (): Promise<number> => {
    const { status, body } = await vigil.call('GET', 'chain');
    return status === 200 ? body.data.find((each: Json) => each.chainUid === 'anvil').processed : -1;
  };

  it('searches go to the primary as soon as a replica stops to answer, and back when it answers', async () => {
    await until(async () => isFromReplica(await search()));
    const goOn = await hangServer(workspace.folder('second'));
    try {
      const meanwhile = await Promise.all(Array.from({ length: 6 }, search));
      for (let n = 0; n < 10; n++) meanwhile.push(await search());
      expect(new Set(meanwhile.map(({ status }) => status))).toEqual(new Set([200]));
      expect(Math.max(...meanwhile.map(({ ms }) => ms))).toBeLessThan(soonMs);
      expect(meanwhile.slice(-10).some(isFromReplica)).toBe(false);
    } finally {
      goOn();
    }
    await until(async () => isFromReplica(await search()));
    expect(vigil.stderr()).toContain('Replica 1 of DATABASE_REPLICA_URLS: The database does not answer');
  });

  it('answers 503 with the reason while its server hangs, keeps no request waiting, and loses nothing of what it acknowledged', async () => {
    const acknowledged: string[] = [];
    const projects: string[] = [];
    const answers: (Answer & { ms: number; at: number })[] = [];
    const stopping = new AbortController();
    let count = 0;
    const push = async () => {
      const eid = `found ${++count}`;
      const alerts = [{ eid, message: 'Found outside' }];
      const answer = await timed(vigil.call('POST', `detector/${detectorId}/alert`, { alerts }));
      if (answer.status < 300) acknowledged.push(eid);
      return answer;
    };
    const create = async () => {
      const name = `Project ${++count}`;
      const answer = await timed(vigil.call('POST', 'project', { tenantId, name }));
      if (answer.status === 201) projects.push(name);
      return answer;
    };
    const read = () => timed(vigil.call('GET', `project/${projectId}`));
    const loop = async (work: () => Promise<Answer & { ms: number }>) => {
      while (!stopping.signal.aborted) {
        const answer = await work();
        answers.push({ ...answer, at: performance.now() });
        await sleep(5);
      }
    };
    const mining = setInterval(() => chain.extend({ logs: [newOwner(random)] }), 200);
    const loops = Promise.all([push, push, push, create, create, read, read, search].map(loop));
    await until(async () => acknowledged.length > 20 && (await processed()) > 3);

    const goOn = await hangServer(workspace.folder('first'));
    const hungAt = performance.now();
    let meanwhile: (Answer & { ms: number })[];
    let noticedMs: number;
    try {
      await until(() => answers.some(({ status, at }) => status === 503 && at > hungAt));
      noticedMs = performance.now() - hungAt;
      meanwhile = await Promise.all(Array.from({ length: 60 }, (_, n) => (n % 2 ? push() : read())));
    } finally {
      goOn();
    }
    await until(async () => (await vigil.call('GET', '/readyz')).status === 200);
    const { length } = answers;
    await until(() => answers.length > length + 40);
    stopping.abort();
    await loops;
    clearInterval(mining);
    console.log(`The server that hangs is noticed after ${Math.round(noticedMs)} ms.`);

    expect(noticedMs).toBeLessThan(soonMs);
    expect(new Set(meanwhile.map(({ status }) => status))).toEqual(new Set([503]));
    expect(Math.max(...meanwhile.map(({ ms }) => ms))).toBeLessThan(soonMs / 2);
    for (const { status, headers, body } of [...answers, ...meanwhile]) {
      expect([200, 201, 503]).toContain(status);
      if (status !== 503) continue;
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(body).toMatchObject({ code: 'unavailable' });
      expect(body.detail).toContain('does not answer');
    }
    expect(answers.slice(-20).map(({ status }) => status)).not.toContain(503);
    expect(vigil.stderr()).toContain('"msg":"The database does not answer; requests get 503 until it does"');
    expect(vigil.stderr()).toContain('"msg":"The database answers again"');

    const { data } = await vigil.ok('POST', 'project/search', { size: 1000 });
    const names = new Set(data.map(({ name }: Json) => name));
    expect(projects.filter((name) => !names.has(name))).toEqual([]);
    await until(async () => (await processed()) >= chain.head.number);
    const found = await vigil.ok('POST', 'alert/search', { size: 10_000 });
    const eids = found.data.map(({ eid }: Json) => eid);
    expect(acknowledged.filter((eid) => eids.filter((each: string) => each === eid).length !== 1)).toEqual(
      [],
    );
    const blocks = found.data.flatMap(({ blockNumber }: Json) => blockNumber ?? []);
    expect(blocks.toSorted((a: number, b: number) => a - b)).toEqual(
      chain.blocks.slice(1).map(({ number }) => number),
    );
  });
});

const limits = {
  maxUsers: 1,
  maxContracts: 10,
  maxProjects: 1_000_000,
  maxTriggers: 1,
  maxDetectors: 10,
  maxWallets: 1,
  maxActions: 1,
  maxApiKeys: 1,
  detectorRateLimit: 1_000_000_000,
};

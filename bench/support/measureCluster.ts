import { createAlertWriter } from '../../src/alerts/createAlertWriter.ts';
import type { Finding } from '../../src/model/alert.ts';
import { issueToken } from '../../src/services/accounts/issueToken.ts';
import { createShardGroups } from '../../src/store/alerts/createShardGroups.ts';
import type { Store } from '../../src/store/db/db.ts';
import { ask } from './ask.ts';
import { createVigil } from './createVigil.ts';
import { reportProgress } from './reportProgress.ts';
import { createSearchCases } from './searchCases.ts';
import type { AlertWorld } from './seedAlerts.ts';

/** The database of one side, and the processor time in µs of its servers so far: all of them, and the coordinator alone. */
type Side = { store: Store; read: () => Promise<number>; coordinator: () => Promise<number> };
export type Compared = { plain: Side; cluster: Side };
type Question = { name: string; path: string; body: unknown; isAdministrators: boolean };
type Cost = { cpuMs: number; coordinatorMs: number; p50: number };

const repeats = 40;
const warmUps = 8;
const rounds = 3;
/** More, because they are short. */
const blockRounds = 15;
const blocks = 20;
const perBlock = 100;
const blockTenants = 30;
let written = 0;

/** Each question in turns, so that a busy moment of the machine meets both sides. */
export async function measureQuestions({ plain, cluster }: Compared, world: AlertWorld): Promise<void> {
  const sides = await Promise.all([plain, cluster].map((side) => serve(side, world.hot.tenantId)));
  const { rare } = world;
  const tenants = createSearchCases(world).map((one) => ({
    ...one,
    isAdministrators: one.path.startsWith(`contract/${rare.contractId}/`),
  }));
  console.log(
    '| question | plain CPU ms | cluster CPU ms | of it coordinator | ratio | plain p50 ms | cluster p50 ms |\n' +
      '|---|--:|--:|--:|--:|--:|--:|',
  );
  for (const question of [...tenants, ...administratorsQuestions]) {
    reportProgress(question.name);
    const measured: Cost[][] = [[], []];
    for (const side of sides) for (let n = 0; n < warmUps; n++) await side.ask(question);
    for (let round = 0; round < rounds; round++)
      for (const [index, side] of sides.entries()) measured[index]!.push(await side.measure(question));
    const [one, other] = measured.map(medianOf);
    console.log(
      `| ${question.name} | ${one!.cpuMs.toFixed(1)} | ${other!.cpuMs.toFixed(1)} | ${other!.coordinatorMs.toFixed(1)} | ` +
        `${(other!.cpuMs / one!.cpuMs).toFixed(2)} | ${one!.p50.toFixed(1)} | ${other!.p50.toFixed(1)} |`,
    );
  }
  for (const side of sides) await side.close();
}

const administratorsQuestions: Question[] = [
  { name: 'newest 10 alerts of all tenants', path: 'alert/search', body: { trackTotalCount: 0 } },
  {
    name: 'a word of all tenants',
    path: 'alert/search',
    body: { query: 'message:zyzzyva', trackTotalCount: 0 },
  },
  {
    name: 'severities of all tenants',
    path: 'alert/aggregation',
    body: { aggregation: [{ name: 'severities', field: 'severity' }] },
  },
].map((question) => ({ ...question, name: `administrators: ${question.name}`, isAdministrators: true }));

async function serve({ store, read, coordinator }: Side, tenantId: number) {
  const server = await createVigil(store, store);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const made = { userId: null, label: null, expiredAt: null };
  const own = { ...made, kind: 'API_KEY', tenantId, roles: ['tenant-viewer'] } as const;
  const admin = { ...made, kind: 'ADMIN', tenantId: null, roles: ['admin'] } as const;
  const [tenants, administrators] = [
    await issueToken(store, own, Date.now()),
    await issueToken(store, admin, Date.now()),
  ];
  const askOnce = ({ path, body, isAdministrators }: Question) =>
    ask(`${url}/api/v1/${path}`, (isAdministrators ? administrators : tenants).token, body);
  return {
    ask: askOnce,
    async measure(question: Question): Promise<Cost> {
      const times: number[] = [];
      const before = [await read(), await coordinator()];
      for (let n = 0; n < repeats; n++) {
        const startedAt = performance.now();
        await askOnce(question);
        times.push(performance.now() - startedAt);
      }
      const [all, ofCoordinator] = [(await read()) - before[0]!, (await coordinator()) - before[1]!];
      const p50 = times.toSorted((a, b) => a - b)[repeats >> 1]!;
      return { cpuMs: all / 1000 / repeats, coordinatorMs: ofCoordinator / 1000 / repeats, p50 };
    },
    close: () => server.close(),
  };
}

/** Blocks as chains write them: their step and the alerts of each shard group. */
export async function measureBlocks({ plain, cluster }: Compared, world: AlertWorld): Promise<void> {
  console.log(
    `\n| blocks with ${perBlock} findings | plain CPU µs an alert | cluster CPU µs | of it coordinator | ratio | plain p50 ms ` +
      `| cluster p50 ms |\n|---|--:|--:|--:|--:|--:|--:|`,
  );
  for (const [name, tenants] of [
    ['of one tenant', 1],
    [`of ${blockTenants} tenants`, blockTenants],
  ] as const) {
    reportProgress(`Blocks ${name}`);
    const measured: Cost[][] = [[], []];
    for (let round = 0; round <= blockRounds; round++)
      for (const [index, side] of [plain, cluster].entries()) {
        const cost = await writeBlocks(side, world, tenants);
        // The first one warms up.
        if (round > 0) measured[index]!.push(cost);
      }
    const [one, other] = measured.map(meanOf);
    const us = (ms: number) => Math.round((ms * 1000) / perBlock);
    console.log(
      `| ${name} | ${us(one!.cpuMs)} | ${us(other!.cpuMs)} | ${us(other!.coordinatorMs)} | ` +
        `${(other!.cpuMs / one!.cpuMs).toFixed(2)} | ${one!.p50.toFixed(1)} | ${other!.p50.toFixed(1)} |`,
    );
  }
}

async function writeBlocks(
  { store, read, coordinator }: Side,
  world: AlertWorld,
  tenants: number,
): Promise<Cost> {
  const writer = createAlertWriter({
    store,
    shardGroups: createShardGroups(store),
    alertHooks: [],
    minedHooks: [],
    retractionHooks: [],
    now: Date.now,
    onGroupFailure: ({ error }) => {
      throw error;
    },
  });
  const times: number[] = [];
  const before = [await read(), await coordinator()];
  for (let block = 0; block < blocks; block++) {
    // Within one month: the next one is created ahead of its alerts.
    const blockTime = world.end + 12_000 * written++;
    const findings = Array.from({ length: perBlock }, (_, n): Finding => {
      const tenantId = 1 + (n % tenants);
      const own = { tenantId, projectId: tenantId, contractId: tenantId };
      return { ...world.nextFinding(), ...own, timestamp: blockTime + n };
    });
    const startedAt = performance.now();
    await writer.prepare(findings);
    await writer.commit('ethereum', async () => ({
      result: undefined,
      writes: [{ type: 'raise', of: 'blocks', findings }],
    }));
    times.push(performance.now() - startedAt);
  }
  const [all, ofCoordinator] = [(await read()) - before[0]!, (await coordinator()) - before[1]!];
  await writer.stop();
  const p50 = times.toSorted((a, b) => a - b)[blocks >> 1]!;
  return { cpuMs: all / 1000 / blocks, coordinatorMs: ofCoordinator / 1000 / blocks, p50 };
}

function medianOf(costs: readonly Cost[]): Cost {
  return costs.toSorted((a, b) => a.cpuMs - b.cpuMs)[costs.length >> 1]!;
}

/** Of all rounds, because only some of them write out the index of terms, which is part of the cost of each alert. */
function meanOf(costs: readonly Cost[]): Cost {
  const mean = (name: keyof Cost) => costs.reduce((sum, cost) => sum + cost[name], 0) / costs.length;
  return { cpuMs: mean('cpuMs'), coordinatorMs: mean('coordinatorMs'), p50: mean('p50') };
}

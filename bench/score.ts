import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../src/lib/sql.ts';
import { createScoreOnAlerts } from '../src/scoring/scoreOnAlerts.ts';
import { startScorer } from '../src/scoring/startScorer.ts';
import { createSandbox } from '../src/scripts/sandbox.ts';
import type { Store } from '../src/store/db/db.ts';
import { listen } from '../src/store/db/listen.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { openStore } from '../src/store/db/openStore.ts';
import { ensurePartitionsAhead } from '../src/store/search/months/partitions.ts';
import { startWithSuperuser } from '../testing/startWithSuperuser.ts';
import { createScoredProjects } from './support/createScoredProjects.ts';
import { machine } from './support/machine.ts';
import { raiseNumberedAlerts } from './support/raiseNumberedAlerts.ts';
import { reportProgress } from './support/reportProgress.ts';
import { scoreAlone } from './support/scoreAlone.ts';

/** How long alerts come at the steady rate; `npm run bench:score -- 600` for ten minutes. */
const seconds = Number(process.argv[3] ?? 30);
/** 10,000 a minute. */
const perSecond = 170;
const backlog = 5000;
const projects = 10;
const licenses = 2;

const folder = join(tmpdir(), `vigil-bench-${randomUUID()}`);
const embedded = await startWithSuperuser({ dataDir: folder });
try {
  await migrate(embedded.connection);
  const store = openStore(embedded.connection, () => {});
  const rows = await measure(store);
  await store.close();
  print(rows);
} finally {
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(store: Store): Promise<string[]> {
  await createScoredProjects(store, { projects, licenses });
  await ensurePartitionsAhead(store, Date.now());
  const follow = createScoreOnAlerts({ now: Date.now });
  const sandbox = createSandbox();
  const errors: unknown[] = [];
  /** When each change of an instance was there, in their order. */
  const scoredAt = new Map<number, number[]>();
  const start = () =>
    startScorer({
      store,
      run: sandbox.run,
      listen: (onMessage) => listen(embedded.connection, 'vigil_score', onMessage),
      onScored: ({ instanceId }, { changes, fault }) => {
        if (fault) errors.push(new Error(fault.message));
        const times = scoredAt.get(instanceId) ?? [];
        scoredAt.set(instanceId, times);
        for (const { count } of changes) for (let n = 0; n < count; n++) times.push(Date.now());
      },
      now: Date.now,
      onError: (error) => errors.push(error),
    });

  reportProgress(`${backlog} alerts, by the scripts alone`);
  const alonePerSecond = await scoreAlone(sandbox.run, backlog);

  reportProgress(`A backlog of ${backlog} alerts, each scored by ${licenses} licenses`);
  for (let n = 0; n < backlog; n += 100) {
    await raiseNumberedAlerts(store, follow, { first: n, count: 100, members: toPlace });
  }
  const backlogStartedAt = performance.now();
  const scorer = start();
  await settled(backlog * licenses);
  const changesPerSecond = (backlog * licenses) / ((performance.now() - backlogStartedAt) / 1000);

  reportProgress(`${perSecond} alerts a second for ${seconds} s`);
  const raisedAt: number[][] = Array.from({ length: projects }, () => []);
  const scoredBefore = backlog / projects;
  const startedAt = performance.now();
  for (let n = 0; n < seconds * 10; n++) {
    const first = backlog + n * (perSecond / 10);
    const at = Date.now();
    await raiseNumberedAlerts(store, follow, { first, count: perSecond / 10, members: toPlace });
    for (let k = 0; k < perSecond / 10; k++) raisedAt[(first + k) % projects]!.push(at);
    await sleep(Math.max(0, startedAt + (n + 1) * 100 - performance.now()));
  }
  await settled((backlog + seconds * perSecond) * licenses);
  await scorer.stop();
  await sandbox.close();
  if (errors.length > 0) throw errors[0];
  const instances = await store.query<{ id: number; projectId: number }>(
    sql`select id, project_id as "projectId" from license_instance`,
  );
  const delays = instances
    .flatMap(({ id, projectId }) =>
      raisedAt[projectId - 1]!.map((at, n) => scoredAt.get(id)![scoredBefore + n]! - at),
    )
    .sort((a, b) => a - b);
  const at = (share: number) => delays[Math.floor((delays.length - 1) * share)]!.toFixed(0);
  return [
    `| score changes a second out of a backlog | | ${changesPerSecond.toFixed(0)} |`,
    `| the scripts alone, one alert after the other, nothing read or stored | | ${alonePerSecond.toFixed(0)} |`,
    `| alert to score at ${perSecond} alerts a second, p50 ms | | ${at(0.5)} |`,
    `| the same, p99 ms | ≤ 1,000 | ${at(0.99)} |`,
  ];

  async function settled(count: number): Promise<void> {
    const total = () => [...scoredAt.values()].reduce((sum, times) => sum + times.length, 0);
    while (total() < count && errors.length === 0) await sleep(5);
    if (errors.length > 0) throw errors[0];
  }
}

/** The alerts go round the projects; each costs every license of its project one change. */
function toPlace(number: number) {
  const project = 1 + (number % projects);
  return { projectId: project, contractId: project, detectorId: project, severity: 'LOW' as const };
}

function print(rows: readonly string[]): void {
  console.log(
    [
      '',
      `${machine()}. ${projects} projects, each scored by ${licenses} instances of the example security score. Vigil and PostgreSQL share the machine.`,
      '',
      '| scores | goal | measured |',
      '|---|--:|--:|',
      ...rows,
    ].join('\n'),
  );
}

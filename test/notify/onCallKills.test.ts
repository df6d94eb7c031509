import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { nodeFlags } from '../../testing/nodeFlags.ts';
import { sized } from '../../testing/proveSize.ts';
import { until } from '../../testing/until.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

const repository = join(import.meta.dirname, '..', '..');
const folder = join(tmpdir(), `vigil-on-call-${randomUUID()}`);
const program = join(folder, 'onCallProcess.js');
const children = new Set<ChildProcess>();
let world: NotifyWorld;
beforeAll(async () => {
  [world] = await Promise.all([startNotifyWorld(), compile()]);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function compile(): Promise<void> {
  await mkdir(folder);
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const bundled = await rolldown({
    platform: 'node',
    logLevel: 'silent',
    input: join(import.meta.dirname, 'support', 'onCallProcess.ts'),
    external: [/^koffi/, /^pg-native$/, /^pino$/, /^quickjs-emscripten/],
  });
  await bundled.write({ format: 'esm', file: program });
  await bundled.close();
}

async function start(): Promise<ChildProcess> {
  const child = fork(program, { execArgv: [...nodeFlags], stdio: 'inherit' });
  children.add(child);
  child.on('exit', () => children.delete(child));
  child.send({ connection: world.connection });
  await once(child, 'message');
  return child;
}

it('kill -9 of two processes at any moment: every repeat is written once, in its turn, and none after an answer', async () => {
  const random = createRandom('kills while repeating');
  const [desk, pager] = [await world.addDestination('/desk'), await world.addDestination('/pager')];
  await world.ok('POST', 'route', {
    tenantId: world.tenantId,
    name: 'Root',
    status: 'ACTIVE',
    groupBy: 'NONE',
    repeatSeconds: 30,
    destinationIds: [desk.id, pager.id],
  });
  // Sooner than anyone may ask for, so that the test takes seconds.
  await world.store.query(sql`update route set repeat_seconds = 1`);
  const uids = await world.push(...Array.from({ length: 60 }, () => ({ severity: 'HIGH' as const })));
  await world.store.query(sql`update route_group set repeat_at = ${Date.now()}`);
  const said = () =>
    world.store.query<{ key: string; destinationId: number; numbers: number[]; least: number }>(
      sql`with repeats as (
          select d.alert_uid::text as key, d.destination_id, d.created_at, (m.data -> 'repeat' ->> 'number')::int as number
          from delivery d join delivery_message m on m.tenant_id = d.tenant_id and m.id = d.message_id
          where d.type = 'alert.repeated'),
        spaced as (
          select *, created_at - lag(created_at) over (partition by key, destination_id order by number) as gap
          from repeats)
        select key, destination_id as "destinationId", json_agg(number order by number) as numbers,
          coalesce(min(gap), 1000) as least
        from spaced group by 1, 2`,
    );
  let processes: ChildProcess[] = await Promise.all([start(), start()]);
  for (let kill = 0; kill < sized(3, 40); kill++) {
    await sleep(random.integer(0, 700));
    const victim = random.pick(processes);
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    processes = [...processes.filter((child) => child !== victim), await start()];
  }
  await until(async () => (await said()).every(({ numbers }) => numbers.length >= 2), 30_000);
  const rows = await said();
  expect(rows).toHaveLength(2 * uids.length);
  for (const { numbers, least } of rows) {
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(least).toBeGreaterThanOrEqual(1000);
  }
  for (const uid of uids) await world.ok('POST', `alert/${uid}/acknowledge`, {});
  const count = async () => (await said()).reduce((sum, { numbers }) => sum + numbers.length, 0);
  const before = await count();
  await sleep(1500);
  expect(await count()).toBe(before);
});

it('kill -9 of two processes at any moment: every step of a chain is made once, in its turn, with its messages', async () => {
  const random = createRandom('kills while calling');
  const [desk, phone] = [
    await world.addDestination('/chain-desk'),
    await world.addDestination('/chain-phone'),
  ];
  const steps = [desk, phone, desk].map(({ id }) => ({ destinationId: id, waitMinutes: 1 }));
  const { id: chain } = await world.ok('POST', 'escalationchain', {
    tenantId: world.tenantId,
    name: 'Chain',
    steps,
    repeat: 2,
  });
  // Sooner than anyone may ask for, so that the test takes seconds.
  const soon = JSON.stringify(steps.map((step) => ({ ...step, waitMinutes: 0.02 })));
  await world.store.query(sql`update escalation_chain set steps = ${soon}::jsonb`);
  const uids = await world.push(
    ...Array.from({ length: sized(25, 200) }, () => ({ severity: 'HIGH' as const })),
  );
  const processes: ChildProcess[] = await Promise.all([start(), start()]);
  for (const uid of uids) {
    const { incidentUid } = await world.ok('GET', `alert/${uid}`);
    await world.ok('POST', `incident/${incidentUid}/escalate`, { escalationChainId: chain });
  }
  const running = async () =>
    (await world.store.query(sql`select 1 from escalation where state = 'RUNNING'`)).length > 0;
  let kills = 0;
  while (await running()) {
    await sleep(random.integer(0, 500));
    const victim = processes.splice(random.below(processes.length), 1)[0]!;
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    kills++;
    processes.push(await start());
  }
  expect(kills).toBeGreaterThan(2);
  const rows = await world.store.query<{ state: string; made: number[]; least: number; messages: number[] }>(
    sql`select e.state, m.made, m.least, m.messages from escalation e cross join lateral (
        select json_agg(s.number order by s.number) as made, json_agg(s.messages order by s.number) as messages,
          min(s.gap) as least
        from (select s.number, s.at - lag(s.at) over (order by s.number) as gap,
            (select count(*)::int from delivery d where d.escalation_id = e.id and d.escalation_number = s.number) as messages
          from escalation_step s where s.tenant_id = e.tenant_id and s.escalation_id = e.id) s) m`,
  );
  expect(rows).toHaveLength(uids.length);
  for (const { state, made, least, messages } of rows) {
    expect([state, made, messages]).toEqual(['EXHAUSTED', [0, 1, 2, 3, 4, 5, 6, 7, 8], Array(9).fill(1)]);
    expect(least).toBeGreaterThanOrEqual(1200);
  }
});

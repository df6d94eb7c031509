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
const folder = join(tmpdir(), `vigil-repeats-${randomUUID()}`);
const program = join(folder, 'repeatProcess.js');
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
    input: join(import.meta.dirname, 'support', 'repeatProcess.ts'),
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

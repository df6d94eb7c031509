import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { resources } from '../../src/api/endpoints/endpoints.ts';
import { kill, postgresProcesses, postmasterOf } from '../../testing/bundledPostgres.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { databaseOf } from '../../testing/databaseOf.ts';
import { sized } from '../../testing/proveSize.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import {
  createWriter,
  type Pending,
  send,
  toLines,
  type Writer,
  type WriterOwner,
} from '../support/createWriter.ts';
import { type Ledger, openLedger } from '../support/openLedger.ts';

const rounds = Number(process.env.PROVE_ROUNDS ?? sized(2, 20));
const kinds = ['project', 'contract', 'action', 'tokenomics/category', 'tokenomics/schedule', 'subscription'];

describe('kill -9 at any moment', () => {
  const random = createRandom('crash');
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let dataDir: string;
  let ledger: Ledger;
  let vigil: Vigil;
  const writers: Writer[] = [];
  let hasFailed = false;

  beforeAll(async () => {
    workspace = await createWorkspace({ isBundled: true });
    dataDir = workspace.folder('data');
    ledger = openLedger(workspace.folder('ledger'));
    vigil = await workspace.serve(dataDir);
    for (const tenant of ['a', 'b', 'c']) {
      const ground = await prepareGround(vigil, tenant, ledger);
      for (const n of [1, 2]) writers.push(createWriter(`${tenant}${n}`, ground, random, ledger));
    }
  });
  afterAll(async () => {
    ledger.close();
    await workspace.remove();
  });

  for (let round = 1; round <= rounds; round++) {
    it(`round ${round}: nothing acknowledged is lost and nothing is half applied`, async (context) => {
      // What was lost once is missing ever after.
      if (hasFailed) context.skip('an earlier round failed');
      onTestFailed(() => {
        hasFailed = true;
      });
      const victims = (['Vigil', 'Vigil and all of PostgreSQL', 'PostgreSQL, then Vigil'] as const)[
        round % 3
      ]!;
      const afterMs = 5 + random.below(496);
      const before = ledger.length();
      const startedAt = Date.now();
      const writing = Promise.all(writers.map((writer) => writer.write(vigil)));
      // Mostly in the midst of writing, and now and then before the first answer.
      const isFlowing = () => ledger.length() > before;
      if (random.chance(0.8)) await until(isFlowing);
      await sleep(afterMs);
      await murder(victims);
      await writing;
      await vigil.ended;
      if (random.chance(0.4)) await killWhileStarting();
      vigil = await workspace.serve(dataDir);

      const acknowledged = ledger.length() - before;
      const last = ledger.read(before);
      const inDoubt = writers.flatMap((writer) => writer.pending() ?? []);
      const touched = new Set(inDoubt.flatMap(placesOf));
      for (const [name, { path, id, record }] of last) {
        if (touched.has(name)) continue;
        const answer = await vigil.call('GET', `${path}/${id}`);
        expect(
          answer.status === 404 ? null : asReplied(answer.body, record),
          `${name} was acknowledged`,
        ).toEqual(record);
      }
      for (const writer of writers) await settle(writer);
      expect(await auditFaults(startedAt)).toEqual([]);
      const verified = await workspace.run(['audit', 'verify'], dataDir);
      expect(verified.stdout).toMatch(/^The audit log is whole: \d+ entries/);
      console.log(
        `round ${round}/${rounds} (SEED=${random.seed}): killed ${victims} after ${afterMs} ms, ` +
          `${acknowledged} acknowledged, ${inDoubt.length} in doubt`,
      );
    });
  }

  it('the store holds exactly what the ledger says after kills at any moment', async () => {
    expect(writers.map((writer) => writer.written())).not.toContain(0);
    const last = ledger.read();
    for (const path of kinds) {
      const stored = new Map<number, Json>();
      for (let page: Json[] = [], from = 0; from === 0 || page.length === 1000; from += 1000) {
        const { data } = await vigil.ok('POST', `${path}/search`, {
          size: 1000,
          from,
          sort: [{ field: 'id' }],
        });
        page = data;
        for (const record of page) stored.set(record.id, record);
      }
      const noted = [...last.values()].filter((line) => line.path === path && line.record !== null);
      for (const { id, record } of noted) expect(stored.get(id), `${path}/${id}`).toEqual(record);
      expect(stored.size, path).toBe(noted.length);
    }
    expect((await vigil.stop()).code).toBe(0);
  });

  async function murder(victims: string): Promise<void> {
    if (victims === 'PostgreSQL, then Vigil') {
      kill(await postmasterOf(dataDir));
      await sleep(random.below(20));
    }
    kill(vigil.pid);
    if (victims === 'Vigil and all of PostgreSQL')
      (await postgresProcesses(dataDir)).forEach((pid) => {
        kill(pid);
      });
  }

  async function killWhileStarting(): Promise<void> {
    const { child, ended } = workspace.startServe(dataDir);
    await sleep(20 + random.below(1000));
    child.kill('SIGKILL');
    if (random.chance(0.5))
      (await postgresProcesses(dataDir)).forEach((pid) => {
        kill(pid);
      });
    await ended;
  }

  /** A request in doubt happened wholly or not at all; sent again it takes effect once. */
  async function settle(writer: Writer): Promise<void> {
    const request = writer.pending();
    if (!request) return;
    if (request.type !== 'create') await expectWhole(request);
    const again = await send(vigil, request);
    if (request.type === 'delete' && again.status === 404) {
      ledger.note(toLines(request, {}));
      writer.settle(request);
      return;
    }
    expect(again.status, again.text).toBe(request.type === 'create' ? 201 : 200);
    ledger.note(toLines(request, again.body));
    writer.settle({ path: request.path, id: again.body.id });
    if (request.type === 'create') await expectOnce(request, again.body);
  }

  async function expectWhole(request: Exclude<Pending, { type: 'create' }>): Promise<void> {
    const name = `${request.path}/${request.id}`;
    const { status, body } = await vigil.call('GET', name);
    if (request.type === 'update') {
      const acknowledged = ledger.lastOf(name);
      expect(
        isDeepStrictEqual(asReplied(body, acknowledged), acknowledged) || holds(body, request.body),
        `${name} is half changed: ${JSON.stringify(body)}`,
      ).toBe(true);
      return;
    }
    for (const owned of request.owned)
      expect(
        (await vigil.call('GET', `${owned.path}/${owned.id}`)).status,
        `${owned.path}/${owned.id} in ${name}`,
      ).toBe(status);
  }

  /** The uniqueness of what no unique index guards: two schedules of one name may well be. */
  async function expectOnce({ path, body }: Pending & { type: 'create' }, record: Json): Promise<void> {
    const mark =
      path === 'subscription'
        ? `expirationDate = ${body.expirationDate} and tenantId = ${body.tenantId}`
        : `name = '${body.name}'`;
    const { data } = await vigil.ok('POST', `${path}/search`, { where: mark });
    expect(data.map(({ id }: Json) => id)).toEqual([record.id]);
  }

  /** Records that were changed in this round without exactly one entry for their making and one for their last change. */
  async function auditFaults(since: number): Promise<unknown[]> {
    const client = new Client(await databaseOf(dataDir));
    await client.connect();
    const faults: unknown[] = [];
    for (const { table } of resources
      .map(({ kind }) => kind)
      .filter((kind) => kinds.includes(kind.table.kind))) {
      const entries = `from audit_entry e where e.chain = t.tenant_id and e.record_kind = '${table.kind}' and e.record_id = t.id`;
      const { rows } = await client.query(
        `select '${table.kind}' as kind, id from ${table.name} t where updated_at >= $1 and status <> 'DELETED' and (
           (select count(*) ${entries} and e.action = '${table.kind}.create') <> 1 or (select max(at) ${entries}) <> updated_at)`,
        [since],
      );
      const strays = await client.query(
        `select '${table.kind}' as kind, record_id as stray from audit_entry e where at >= $1 and record_kind = '${table.kind}'
           and not exists (select 1 from ${table.name} t where t.tenant_id = e.chain and t.id = e.record_id)`,
        [since],
      );
      faults.push(...rows, ...strays.rows);
    }
    await client.end();
    return faults;
  }
});

/** A record as read by itself, without the members that no reply to a write shows. */
function asReplied(read: Json, reply: Json | null | undefined): Json {
  return Object.fromEntries(Object.entries(read).filter(([member]) => reply == null || member in reply));
}

/** The records that a request may have changed. */
function placesOf(request: Pending): string[] {
  if (request.type === 'create') return [];
  const owned = request.type === 'delete' ? request.owned : [];
  return [request, ...owned].map(({ path, id }) => `${path}/${id}`);
}

/** Whether a record shows everything that a request asked for. */
function holds(record: Json, body: Json): boolean {
  return Object.entries(body).every(([member, wanted]) => {
    const present = record[member];
    if (!Array.isArray(wanted) || typeof wanted[0] !== 'object') return isDeepStrictEqual(present, wanted);
    const shown = present.map((item: Json) => ({ ...item, tenantDestinationId: item.tenantDestination?.id }));
    return shown.length === wanted.length && wanted.every((item, i) => holds(shown[i], item));
  });
}

async function prepareGround(vigil: Vigil, name: string, ledger: Ledger): Promise<WriterOwner> {
  const make = async (path: string, body: Json) => {
    const record = await vigil.ok('POST', path, body);
    if (kinds.includes(path)) ledger.note([{ path, id: record.id, record }]);
    return record;
  };
  const tenantId = (await make('tenant', { name })).id;
  const plan = await make('plan', { name: `plan ${name}`, ...wide });
  await make('subscription', { tenantId, planId: plan.id, expirationDate: 5_000_000_000_000 });
  const { token } = await make('apikey', { tenantId, label: name, roles: ['tenant-manager'] });
  const project = await make('project', { tenantId, name: 'ground' });
  const contract = await make('contract', {
    projectId: project.id,
    name: 'ground',
    chainUid: 'anvil',
    address: `0x${'1'.repeat(40)}`,
  });
  const contractId = contract.id;
  const schema = await make('detector/schema', { title: name, name: `schema_${name}`, version: '1.0.0' });
  const wallet = await make('wallet', { tenantId, name: 'ground', chainUid: 'anvil', allowedCalls: null });
  const destinationIds: number[] = [];
  const detectorIds: number[] = [];
  for (const n of ['one', 'two', 'three']) {
    destinationIds.push(
      (await make('destination', { tenantId, type: 'EMAIL', value: `${n}@example.com` })).id,
    );
    detectorIds.push((await make('detector', { contractId, schemaId: schema.id, name: n })).id);
  }
  const alerts = ['LOW', 'HIGH', 'INFO'].map((severity) => ({ severity, name: severity }));
  const trigger = await make('trigger', { contractId, name: 'ground', triggerType: 'FUNCTION_CALL', alerts });
  return {
    tenantId,
    token,
    planId: plan.id,
    walletId: wallet.id,
    destinationIds,
    detectorIds,
    alertIds: trigger.alerts.map(({ id }: Json) => id),
  };
}

const wide = {
  maxUsers: 1,
  maxContracts: 1_000_000,
  maxProjects: 1_000_000,
  maxTriggers: 1,
  maxDetectors: 3,
  maxWallets: 1,
  maxActions: 1_000_000,
  maxApiKeys: 1,
};

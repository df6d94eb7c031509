import type { QueryResultRow } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Sql, sql } from '../../src/lib/sql.ts';
import { tickScores } from '../../src/scoring/tickScores.ts';
import type { Db } from '../../src/store/db/db.ts';
import { queueRetractions } from '../../src/store/scores/queueScores.ts';
import { until } from '../../testing/until.ts';
import { type ScoreWorld, startScoreWorld } from './support/scoreWorld.ts';

let world: ScoreWorld;
beforeAll(async () => {
  world = await startScoreWorld();
  world.work();
});
afterEach(() => expect(world.errors).toEqual([]));
afterAll(() => world.stop());

const penalty = { groupScript: "['security']", scoreScript: '-e.numericSeverity / 10' };
const scoresOf = async (instanceId: number) =>
  (await world.changes(instanceId)).map(({ i, type, scoreGroup, scoreChange, score }) => [
    i,
    type,
    scoreGroup,
    scoreChange,
    score,
  ]);

describe('an alert of a licensed project', () => {
  it('becomes one change with every member of 2.14 for each group that the group script names, in order', async () => {
    const { licenseId, instanceId } = await world.license({
      params: '{"min":0,"max":50,"start":40,"weight":2}',
      groupScript: "[e.group.toLowerCase(), 'all']",
      scoreScript: '({ change: -l.weight * e.meta.size, key: [group, score, s.all].join(), value: 7 })',
    });
    const timestamp = Date.now() - 1000;
    const [uid] = await world.push({
      timestamp,
      severity: 'HIGH',
      name: 'Owner changed',
      message: 'The owner is new.',
      meta: { size: 3 },
      tags: ['owner'],
      txHash: '0x01',
    });
    const changes = await world.changes(instanceId);
    const common = {
      index: `score-${new Date(timestamp).toISOString().slice(0, 7).replace('-', '.')}`,
      timestamp,
      type: 'alert',
      organisationId: world.organisationId,
      licenseId,
      licenseInstanceId: instanceId,
      tenantId: world.tenantId,
      projectId: world.projectId,
      contractId: world.contractId,
      txHash: '0x01',
      detectorSchemaName: 'engine',
      alertId: uid,
      monitorId: String(world.detectorId),
      alertName: 'Owner changed',
      alertMessage: 'The owner is new.',
      numericSeverity: 70,
      severity: 'HIGH',
      tags: ['owner'],
      meta: { size: 3 },
      score: 34,
      scoreChange: -6,
      value: 7,
    };
    expect(changes).toEqual([
      { ...common, uid: changes[0]!.uid, i: 1, scoreGroup: 'security', key: 'security,40,' },
      { ...common, uid: changes[1]!.uid, i: 2, scoreGroup: 'all', key: 'all,40,' },
    ]);
    const found = await world.ok('POST', `instance/${instanceId}/score/search`, {
      query:
        'alertName:owner AND meta.size:3 AND txHash:0x01 AND tags:owner AND scoreGroup:all AND score:<35',
    });
    expect(found.total).toBe(1);
  });

  it('moves the score within the bounds of the license only, and says what the script asked for', async () => {
    const { instanceId } = await world.license({
      params: '{"min":-1,"max":10}',
      groupScript: "'security'",
      scoreScript: 'e.meta.by',
    });
    for (const by of [-8, -8, 0.1, 0.2, 100, null, 0]) await world.push({ meta: { by } });
    expect(
      (await world.changes(instanceId)).map(({ score, scoreChange, key, value }) => [
        score,
        scoreChange,
        key,
        value,
      ]),
    ).toEqual([
      [2, -8, 'change', -8],
      [-1, -3, 'change', -8],
      [-0.9, 0.1, 'change', 0.1],
      [-0.7, 0.2, 'change', 0.2],
      [10, 10.7, 'change', 100],
      [10, 0, 'change', 0],
    ]);
  });

  it('is scored only while the instance is licensed and active, and inside one of its periods', async () => {
    const { instanceId, licenseId } = await world.license(penalty);
    const [meta] = (await world.ok('GET', `instance/${instanceId}`)).licenseInstanceMeta;
    const from = Date.now() - 60_000;
    await world.ok('PUT', `instance/meta/${meta.id}`, {
      startedAt: new Date(from).toISOString(),
      expiredAt: new Date(from + 1000).toISOString(),
    });
    await world.push({ timestamp: from - 1 }, { timestamp: from }, { timestamp: from + 999 });
    await world.push({ timestamp: from + 1000 });
    expect(await scoresOf(instanceId)).toHaveLength(2);
    expect(await world.score(instanceId)).toMatchObject({ state: 'INACTIVE', fault: null, waiting: 0 });
    await world.ok('PUT', `instance/${instanceId}`, { status: 'DISABLED' });
    await world.push({ timestamp: from });
    await world.ok('PUT', `instance/${instanceId}`, { status: 'ACTIVE' });
    await world.ok('PUT', `license/${licenseId}`, { status: 'DISABLED' });
    await world.push({ timestamp: from });
    await world.ok('PUT', `license/${licenseId}`, { status: 'ACTIVE' });
    await world.push({ timestamp: from });
    await world.ok('PUT', `instance/${instanceId}`, { licenseStatus: 'CANCELED' });
    await world.push({ timestamp: from });
    expect(await scoresOf(instanceId)).toHaveLength(3);
  });

  it('is not scored when its detector is only tried out', async () => {
    const { instanceId } = await world.license(penalty);
    await world.push({ tags: ['shadow'] }, {});
    expect(await scoresOf(instanceId)).toHaveLength(1);
  });

  it('changes every group where there is no group script, and none that is disabled', async () => {
    const { instanceId, licenseId } = await world.license({ scoreScript: '-1' }, ['a', 'b']);
    const { scoreGroups } = await world.ok('GET', `license/${licenseId}`);
    await world.push({});
    expect(await world.changes(instanceId)).toHaveLength(2);
    await world.ok('PUT', `score/group/${scoreGroups[1].id}`, { status: 'DISABLED' });
    await world.push({});
    const changes = await world.changes(instanceId);
    expect(changes.map(({ scoreGroup, score }) => [scoreGroup, score])).toEqual([
      ['a', 99],
      ['b', 99],
      ['a', 98],
    ]);
  });
});

describe('a score that moved', () => {
  it('is sent to webhooks with the tag DEFAULT, in the transaction of the change, and to no one else', async () => {
    const make = (members: object) =>
      world.ok('POST', 'destination', { tenantId: world.tenantId, ...members }).then(({ id }) => id);
    const uri = 'https://hooks.example.com/score';
    const told = await make({ type: 'HTTP', uri, tags: ['DEFAULT'] });
    await make({ type: 'HTTP', uri, tags: ['DETECTOR'] });
    await make({ type: 'EMAIL', value: 'alice@example.com', tags: ['DEFAULT'] });
    const { instanceId } = await world.license({ groupScript: "['security']", scoreScript: 'e.meta.by' });
    await world.push({ meta: { by: -3 } }, { meta: { by: 0 } });
    const [change] = await world.changes(instanceId);
    const sent = await world.store.query<{ id: number; type: string; data: object }>(
      sql`select d.destination_id as id, d.type, m.data from delivery d
        join delivery_message m on m.tenant_id = d.tenant_id and m.id = d.message_id
        where m.data->>'licenseInstanceId' = ${String(instanceId)}`,
    );
    expect(sent).toEqual([{ id: told, type: 'score.changed', data: expect.anything() }]);
    expect(sent[0]?.data).toMatchObject({
      ...change,
      project: { name: 'Vault' },
      license: { name: 'Score' },
    });
    await world.ok('DELETE', `destination/${told}`);
  });
});

describe('a retraction', () => {
  it('writes the reversing change and restores the score', async () => {
    const { instanceId } = await world.license({ groupScript: "['x', 'y']", scoreScript: '-e.meta.by' });
    const block = { blockNumber: 500, blockHash: '0xgone' };
    await world.push({ meta: { by: 0.1 } });
    await world.push({ meta: { by: 0.7 }, ...block });
    await world.push({ meta: { by: 0.2 } });
    await world.changes(instanceId);
    await world.retract({ number: 500, hash: '0xgone' });
    const changes = await world.changes(instanceId);
    expect(changes.slice(-2)).toMatchObject([
      { i: 7, type: 'retraction', scoreGroup: 'y', scoreChange: 0.7, score: 99.7, value: 0.7 },
      { i: 8, type: 'retraction', scoreGroup: 'x', scoreChange: 0.7, score: 99.7, value: 0.7 },
    ]);
    expect(changes.at(-1)).toMatchObject({ alertId: changes[2]!.alertId, alertName: 'Engine', tags: [] });
  });

  it('a retraction of an alert that is not scored yet undoes it right after it was', async () => {
    const { instanceId } = await world.license(penalty);
    const other = await world.license({
      groupScript: "['security']",
      scoreScript: "JSON.parse(e.blockNumber === 501 ? '' : '0')",
    });
    await world.push({ blockNumber: 501, blockHash: '0xb' });
    await until(async () => (await world.score(other.instanceId)).fault);
    await world.retract({ number: 501, hash: '0xb' });
    await world.ok('PUT', `license/${other.licenseId}`, { scoreScript: '-1' });
    const seen = (await scoresOf(other.instanceId)).map(([, type, , change]) => [type, change]);
    expect(seen).toEqual([
      ['alert', -1],
      ['retraction', 1],
    ]);
    expect((await scoresOf(instanceId)).map(([, type, , , score]) => [type, score])).toEqual([
      ['alert', 95],
      ['retraction', 100],
    ]);
  });

  it('undoes an alert that is scored while it is being retracted', async () => {
    const { licenseId, instanceId } = await world.license({ ...penalty, scoreScript: 'JSON.parse("")' });
    const timestamp = Date.now();
    const [uid = ''] = await world.push({ timestamp });
    await until(async () => (await world.score(instanceId)).fault);
    await world.store.transaction(async (tx) => {
      let reads = 0;
      const interrupted: Db = {
        ...tx,
        async prepared<R extends QueryResultRow>(statement: Sql) {
          const rows = await tx.prepared<R>(statement);
          if (++reads > 1) return rows;
          await world.ok('PUT', `license/${licenseId}`, { scoreScript: '-1' });
          await world.changes(instanceId);
          return rows;
        },
      };
      await queueRetractions(interrupted, [{ tenantId: world.tenantId, uid, timestamp }], Date.now());
    });
    expect((await scoresOf(instanceId)).map(([, type, , , score]) => [type, score])).toEqual([
      ['alert', 99],
      ['retraction', 100],
    ]);
  });
});

describe('the clock', () => {
  it('asks the scripts by the schedule of the license, once each time, for missed times too', async () => {
    const { instanceId } = await world.license({
      params: '{"start":50,"tick":"1 hour"}',
      groupScript: "['health']",
      scoreScript: "e.type === 'tick' ? 1 : -10",
    });
    await tickScores(world.store, world.services.now());
    await world.push({});
    await world.changes(instanceId);
    world.advance(3 * 3_600_000);
    await Promise.all([1, 2, 3].map(() => tickScores(world.store, world.services.now())));
    const changes = await world.changes(instanceId);
    expect(changes.map(({ type, score }) => [type, score])).toEqual([
      ['alert', 40],
      ['tick', 41],
      ['tick', 42],
      ['tick', 43],
    ]);
    expect(changes.slice(1).every(({ timestamp }) => timestamp % 3_600_000 === 0)).toBe(true);
    expect(changes[1]).toMatchObject({ alertId: null, contractId: null, tags: [], meta: {}, key: 'change' });
  });
});

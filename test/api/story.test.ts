import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { raiseAll } from '../support/randomAlerts.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { observe } from './support/observe.ts';

const thief = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
const hostile = `\u202Eexe <img src=x onerror=alert(1)> [x](javascript:alert(1)) | # ${'W'.repeat(300)}`;
let api: TestApi;
let own: TenantWorld;
let other: TenantWorld;
let raised = 0;

beforeAll(async () => {
  api = observe(await startTestApi());
  own = await createTenantWorld(api);
  other = await createTenantWorld(api);
});
afterAll(() => api.stop());

/** Raises findings of one transaction, and returns the uid of their incident. */
async function raise(txHash: string, findings: Partial<Finding>[]): Promise<string> {
  const { world } = own;
  await raiseAll(
    api.store,
    findings.map((members): Finding => {
      raised += 1;
      return {
        tenantId: world.tenant.id,
        projectId: world.project.id,
        contractId: world.contract.id,
        kind: 'detector',
        group: 'SECURITY',
        severity: 'CRITICAL',
        timestamp: Date.now(),
        key: `story ${raised}`,
        eid: `story-${raised}`,
        name: 'Drain',
        message: `A transaction of ${thief} took it.`,
        meta: {},
        tags: [],
        chainUid: world.contract.chainUid,
        txHash,
        blockNumber: 57,
        // One block would be one incident.
        blockHash: `0xb5${txHash.slice(4)}`,
        detectorSchemaName: 'drain',
        ...members,
      };
    }),
  );
  const { data } = await api.ok('POST', 'alert/search', { query: `txHash:${txHash}`, size: 1 });
  return data[0].incidentUid;
}

const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;
const assets = (symbol = 'DUSD') => [
  { asset: `0x${'ab'.repeat(20)}`, symbol, change: '-400', held: '500', percent: 80 },
];
const story = (uid: string, token?: string | null): Promise<Json> =>
  api.ok('GET', `incident/${uid}/story`, undefined, token === undefined ? undefined : { token });

describe('the story of an incident', () => {
  it('says what was lost, by whom and whether it goes on, with what people did, and a report says the same', async () => {
    await api.ok('POST', 'label', {
      tenantId: own.world.tenant.id,
      address: thief,
      name: 'Known exploiter',
      tags: ['EXPLOIT'],
    });
    const uid = await raise(hash(1), [
      { meta: { sender: thief, assets: assets(), recipients: [thief], usd: '400', percent: 80 } },
      {
        detectorSchemaName: 'tvl_drop',
        name: 'TVL drop',
        severity: 'HIGH',
        meta: {
          token: `0x${'ab'.repeat(20)}`,
          symbol: 'DUSD',
          drop: '400',
          before: '500',
          after: '100',
          usd: '400',
        },
      },
    ]);
    await api.ok(
      'POST',
      `incident/${uid}/acknowledge`,
      { note: 'On it.' },
      { token: own.tokens['tenant-user'] },
    );
    const shown = await story(uid, own.tokens['tenant-viewer']);
    const { name } = own.world.contract;
    expect(shown.headline).toBe(
      `${name} lost 400 DUSD (400 USD), 80 % of what it held to Known exploiter; it may go on.`,
    );
    expect(shown).toMatchObject({
      incident: { uid, severity: 'CRITICAL', acknowledged: true },
      progress: { state: 'ONGOING', stoppedBy: null },
      lost: {
        usd: 400,
        losses: [{ amount: '400', symbol: 'DUSD', before: '500', after: '100', percent: 80 }],
      },
      prevented: { losses: [] },
      by: [{ address: thief, name: 'Known exploiter', tags: ['EXPLOIT'] }],
      flows: { edges: [{ to: thief, amount: '400', isReported: true }] },
      contracts: [{ name, alerts: 2 }],
      transactions: [{ txHash: hash(1), alerts: 2 }],
    });
    const steps = shown.timeline.map(({ type, text, folded }: Json) => [type, text, folded.length] as const);
    expect(steps).toContainEqual(['TRANSACTION', null, 1]);
    expect(steps.filter((step: Json) => step[0] === 'ACKNOWLEDGEMENT')).toHaveLength(1);
    const { markdown } = await api.ok('GET', `incident/${uid}/report`);
    expect(markdown).toContain(shown.headline);
    expect(markdown).toMatch(/## Timeline[\s\S]*## Evidence/);
  });

  it('shows what an attack that took no effect would have taken', async () => {
    const uid = await raise(hash(2), [{ meta: { sender: thief, assets: assets(), recipients: [thief] } }]);
    const { data } = await api.ok('POST', 'alert/search', { query: `txHash:${hash(2)}` });
    const alert = data[0];
    const { retractAlerts } = await import('../../src/store/alerts/retractAlerts.ts');
    await api.store.transaction((tx) => retractAlerts(tx, [alert], 'UNFULFILLED', Date.now()));
    const shown = await story(uid);
    expect(shown).toMatchObject({
      progress: { state: 'PREVENTED' },
      lost: { losses: [] },
      prevented: { losses: [{ amount: '400' }] },
      flows: { edges: [{ isReported: true }] },
    });
    expect(shown.headline).toContain('tried to take 400 DUSD');
  });

  it('names web addresses that were called by their host, because their paths may hold keys', async () => {
    const { id: tenantId } = own.world.tenant;
    const uid = await raise(hash(43), [{}]);
    for (const uri of [
      'https://user:pass@hooks.example.com/services/T00/secret-key',
      'http://[::1]:9/secret-key',
    ])
      await api.store.query(
        sql`with made as (insert into destination (tenant_id, uid, type, value, tags, created_at, updated_at)
            values (${tenantId}, ${uri}, 'HTTP', ${uri}, '{}', 1, 1) returning id)
          insert into delivery (tenant_id, uid, destination_id, type, state, next_attempt_at, created_at, updated_at,
            delivered_at, incident_uid)
          select ${tenantId}, gen_random_uuid(), id, 'alert.detector.raised', 'DELIVERED', 1, ${Date.now()},
            ${Date.now()}, ${Date.now()}, ${uid}::uuid from made`,
      );
    const shown = await story(uid, own.tokens['tenant-viewer']);
    const { markdown } = await api.ok('GET', `incident/${uid}/report`);
    const called = shown.timeline.filter(({ type }: Json) => type === 'NOTIFICATION');
    expect(called.map(({ text }: Json) => text)).toContain('hooks.example.com');
    for (const text of [JSON.stringify(shown), markdown]) expect(text).not.toMatch(/secret-key|user:pass/);
  });

  it('is not there for another tenant, as one that does not exist', async () => {
    const uid = await raise(hash(3), [{}]);
    const token = other.tokens['tenant-manager'];
    for (const path of ['story', 'report']) {
      const [theirs, missing] = await Promise.all([
        api.call('GET', `incident/${uid}/${path}`, undefined, { token }),
        api.call('GET', `incident/01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071/${path}`, undefined, { token }),
      ]);
      expect(theirs.status).toBe(404);
      expect({ ...theirs.body, instance: '', requestId: '' }).toEqual({
        ...missing.body,
        instance: '',
        requestId: '',
      });
    }
  });

  it('keeps hostile text out of its sentence, and as text in the report', async () => {
    const uid = await raise(hash(4), [
      {
        name: hostile,
        message: hostile,
        meta: { sender: thief, assets: assets(hostile), [hostile]: hostile },
      },
    ]);
    const { headline } = await story(uid);
    expect(headline).not.toMatch(/[\u202E<>]/);
    const { markdown } = await api.ok('GET', `incident/${uid}/report`);
    expect(markdown).not.toMatch(/\u202E|<img|(?<!\\)\]\(javascript|^# .*\n# /m);
  });

  it.each([
    ['long', `x |\n\n# owned\n<img src=x onerror=alert(1)> [x](javascript:alert(1))`],
    ['short', 'a\n# <b>|'],
  ])('keeps a %s hostile name of an asset without a symbol as text too', async (length, asset) => {
    const meta = { sender: thief, assets: [{ asset, change: '-400', held: '500', percent: 80 }] };
    const uid = await raise(hash(length === 'long' ? 40 : 41), [{ meta }]);
    const { headline, lost } = await story(uid);
    expect(lost.losses).toMatchObject([{ asset, amount: '400' }]);
    expect(headline).not.toMatch(/[\n<>]/);
    const { markdown } = await api.ok('GET', `incident/${uid}/report`);
    expect(markdown).toContain('| 400 ');
    expect(markdown).not.toMatch(/<img|<b>|(?<!\\)\]\(javascript|^# owned|^# ‹b/m);
    const rows = markdown.split('\n').filter((line: string) => line.includes('| 400 '));
    for (const row of rows) expect(row.match(/(?<!\\)\|/g)!.length).toBeLessThanOrEqual(6);
  });

  it('leaves large evidence of pushed findings out, and takes the members of it that are small', async () => {
    const small = { sender: thief, assets: assets() };
    const uid = await raise(
      hash(42),
      Array.from({ length: 6 }, (_, n) => ({ meta: { marker: 'large', n, ...(n === 0 ? small : {}) } })),
    );
    // Written past the index of words, which would take most of a minute.
    await api.store.query(
      sql`update alert set meta = meta || jsonb_build_object('blob', (select jsonb_agg(n) from generate_series(0, 59999) n))
        where meta ->> 'marker' = 'large'`,
    );
    const { headline } = await story(uid);
    const { markdown } = await api.ok('GET', `incident/${uid}/report`);
    expect(headline).toContain('lost 400 DUSD');
    expect(markdown).toContain('Larger members are on the page of the alert.');
    expect(markdown).not.toContain('59999');
  });

  it('the story of five thousand alerts is bounded, and says what it leaves out', async () => {
    const uid = await raise(
      hash(5),
      Array.from({ length: 5000 }, (_, n) => ({
        severity: 'LOW' as const,
        timestamp: Date.now() - n,
        meta: { n },
        ...(n === 4999 && { severity: 'CRITICAL' as const, meta: { sender: thief, assets: assets() } }),
      })),
    );
    const started = performance.now();
    const { status, text } = await api.call('GET', `incident/${uid}/story`);
    expect(status).toBe(200);
    console.info(
      `story of 5,000 alerts: ${Math.round(performance.now() - started)} ms, ${text.length} bytes`,
    );
    expect(text.length).toBeLessThan(300_000);
    const shown = JSON.parse(text);
    expect(shown).toMatchObject({ incident: { alerts: 5000 }, leftOut: { alerts: 4000 } });
    expect(shown.lost.losses).toMatchObject([{ amount: '400' }]);
    expect(shown.timeline).toHaveLength(1);
    expect(shown.timeline[0]).toMatchObject({ foldedMore: 979 });
  });
});

describe('the preview of a message template', () => {
  it('is bounded whatever a pushed finding carries, and is not there for another tenant', async () => {
    const list = Array.from({ length: 4000 }, (_, n) => `text ${n} <b>`);
    await raise(hash(50), [{ meta: { list, sender: thief } }]);
    const { data } = await api.ok('POST', 'alert/search', { query: `txHash:${hash(50)}`, size: 1 });
    const path = `alert/${data[0].uid}/preview`;
    const send = (template: string, who = own) =>
      api.call('POST', path, { template }, { token: who.tokens['tenant-viewer'] });
    expect((await send('{name} by {sender}')).body).toEqual({ message: `Drain by ${thief}` });
    const { message } = (await send('{list}'.repeat(1600))).body;
    expect(message).toMatch(/^text 0 ‹b›, text 1 ‹b›/);
    expect(message.length).toBeLessThanOrEqual(100_000);
    const refused = await send(Array.from({ length: 900 }, (_, n) => `{lisst${n}}`).join(''));
    expect([refused.status, refused.body.errors.length]).toEqual([400, 10]);
    expect((await send('{name}', other)).status).toBe(404);
  });
});

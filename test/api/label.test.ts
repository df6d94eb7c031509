import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { baseListSource } from '../../src/model/label.ts';
import { publishBaseLabels } from '../../src/services/labels/publishBaseLabels.ts';
import type { Db } from '../../src/store/db/db.ts';
import { replaceBaseLabels } from '../../src/store/labels/baseLabels.ts';
import { findLabels, listLabelledAddresses } from '../../src/store/labels/findLabels.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { observe } from './support/observe.ts';

let api: TestApi;
let mine: number;
let others: number;
let token: string;
let stranger: string;

beforeAll(async () => {
  api = observe(await startTestApi());
  mine = (await api.ok('POST', 'tenant', { name: 'Mine' })).id;
  others = (await api.ok('POST', 'tenant', { name: 'Others' })).id;
  token = await api.token(mine, 'tenant-manager');
  stranger = await api.token(others, 'tenant-manager');
});
afterAll(() => api.stop());

let count = 0;
const newAddress = () => `0xab${(++count).toString(16).padStart(38, '0')}`;
const importCsv = (csv: string, more: Json = {}, query = '') =>
  api.call('POST', `label/import${query}`, { csv, ...more }, { token });

describe('a label', () => {
  it('has its address in canonical spelling, its tags in capitals and a score of 100 unless given', async () => {
    const address = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
    const body = { address, tags: ['mixer', ' Scam ', 'MIXER', 'own;list'] };
    expect(await api.ok('POST', 'label', body, { token })).toEqual({
      id: expect.any(Number),
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      status: 'ACTIVE',
      tenantId: mine,
      chainUid: null,
      address: address.toLowerCase(),
      name: null,
      tags: ['MIXER', 'SCAM', 'OWN', 'LIST'],
      score: 100,
      source: null,
      note: null,
    });
  });

  it.each([
    ['solana', '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', 201],
    ['solana', '0xdac17f958d2ee523a2206206994597c13d831ec7', 422],
    ['ethereum', '0xdAC17F958D2ee523a2206206994597C13D831eC7', 422],
    [null, '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', 422],
  ])('a label on chain %s with the address %s answers %d', async (chainUid, address, status) => {
    const answer = await api.call('POST', 'label', { chainUid, address }, { token });
    expect(answer.status).toBe(status);
    if (status === 422)
      expect(answer.body.errors).toMatchObject([{ pointer: '/address', code: 'not-an-address' }]);
  });

  it('is the only one of its chain, address and source for its tenant', async () => {
    const body = { address: newAddress(), source: 'feed' };
    const first = await api.ok('POST', 'label', body, { token });
    const again = await api.call(
      'POST',
      'label',
      { ...body, address: body.address.toUpperCase().replace('X', 'x') },
      { token },
    );
    expect([again.status, again.body.errors[0].pointer]).toEqual([409, '/address']);
    for (const other of [
      { ...body, source: 'other' },
      { ...body, chainUid: 'base' },
    ])
      await api.ok('POST', 'label', other, { token });
    await api.ok('POST', 'label', body, { token: stranger });
    await api.ok('POST', 'label', body);
    await api.ok('DELETE', `label/${first.id}`, undefined, { token });
    await api.ok('POST', 'label', body, { token });
  });

  it('a label of the platform is made by an administrator, seen by all tenants and changed by none of them', async () => {
    const label = await api.ok('POST', 'label', { address: newAddress(), name: 'Known mixer' });
    expect(label.tenantId).toBeNull();
    expect(await api.ok('GET', `label/${label.id}`, undefined, { token })).toEqual(label);
    const { data } = await api.ok('POST', 'label/search', { where: `id = ${label.id}` }, { token: stranger });
    expect(data).toEqual([label]);
    for (const [method, body] of [
      ['PUT', { name: 'Harmless' }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await api.call(method, `label/${label.id}`, body, { token });
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    }
    expect((await api.ok('PUT', `label/${label.id}`, { score: 10 })).score).toBe(10);
  });

  it('a label of another tenant answers as a missing one', async () => {
    const { id } = await api.ok('POST', 'label', { address: newAddress() }, { token });
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', {}],
      ['DELETE', undefined],
    ] as const) {
      const hidden = await api.call(method, `label/${id}`, body, { token: stranger });
      const missing = await api.call(method, 'label/987654321', body, { token: stranger });
      expect([hidden.status, hidden.body.detail]).toEqual([404, missing.body.detail]);
    }
  });

  it('a label made by a tenant is that tenant’s, whatever the body says of it', async () => {
    const user = await api.token(mine, 'tenant-user');
    const made = await api.ok('POST', 'label', { address: newAddress(), tenantId: null }, { token: user });
    expect(made.tenantId).toBe(mine);
    const foreign = { address: newAddress(), tenantId: others };
    expect((await api.call('POST', 'label', foreign, { token: user })).status).toBe(422);
    const csv = `address\n${newAddress()}\n`;
    expect((await api.call('POST', 'label/import', { csv, tenantId: others }, { token: user })).status).toBe(
      422,
    );
  });
});

describe('an import', () => {
  const labelOf = async (address: string) =>
    (await api.ok('POST', 'label/search', { where: `address = '${address}'` }, { token })).data[0];

  it('creates, updates and leaves alone, and what the text does not speak of stays', async () => {
    const [a, b, c] = [newAddress(), newAddress(), newAddress()];
    const csv = `address,name,tags,score,note\n${a},"A, the first",mixer;scam,90,seen\n${b},,,,\n`;
    const first = await importCsv(csv, { source: 'list', tags: ['exploit'], chainUid: 'base' });
    expect(first.body).toEqual({ created: 2, updated: 0, unchanged: 0, faultCount: 0, faults: [] });
    const label = await labelOf(a);
    expect(label).toMatchObject({
      tenantId: mine,
      chainUid: 'base',
      name: 'A, the first',
      tags: ['MIXER', 'SCAM', 'EXPLOIT'],
      score: 90,
      source: 'list',
      note: 'seen',
    });
    expect(await labelOf(b)).toMatchObject({ name: null, tags: ['EXPLOIT'], score: 100 });
    await api.ok('PUT', `label/${label.id}`, { status: 'DISABLED' }, { token });
    const next = `Score,ADDRESS,Source,chainUid\n50,${a.toUpperCase().replace('X', 'x')},list,base\n100,${b},list,base\n7,${c},,\n`;
    expect((await importCsv(next)).body).toMatchObject({ created: 1, updated: 1, unchanged: 1 });
    expect(await labelOf(a)).toMatchObject({
      id: label.id,
      name: 'A, the first',
      score: 50,
      status: 'DISABLED',
    });
    expect(await labelOf(c)).toMatchObject({ chainUid: null, source: null, score: 7 });
  });

  it('an import of the same text a second time changes nothing', async () => {
    const csv = `address,tags\n${newAddress()},MIXER\n${newAddress()},\n`;
    await importCsv(csv, { source: 'twice' });
    expect((await importCsv(csv, { source: 'twice' })).body).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 2,
    });
  });

  it('takes the last of several lines about the same label', async () => {
    const a = newAddress();
    const { body } = await importCsv(`address,score\n${a},1\n${a},1\n${a},2\n`);
    expect(body).toMatchObject({ created: 1, updated: 1, unchanged: 1 });
    expect((await labelOf(a)).score).toBe(2);
  });

  it('an import with a faulty line imports nothing and names every such line, or takes the others when partial', async () => {
    const good = newAddress();
    const csv = `address,chainUid,score\n${good},,\nnonsense,,\n${newAddress()},mars,\n\n${newAddress()},,101\n,,\n${good}\n`;
    const refused = await importCsv(csv);
    expect(refused.status).toBe(422);
    const messages: string[] = refused.body.errors.map(({ message }: Json) => message);
    expect(messages).toEqual([
      expect.stringMatching(/^Line 3: address: This is not an address/),
      "Line 4: chainUid: there is no chain 'mars'.",
      'Line 6: score must be a whole number from 0 to 100.',
      'Line 7: address is missing.',
      'Line 8: has 1 cells where the first line names 3 columns.',
    ]);
    expect(await labelOf(good)).toBeUndefined();
    const partial = await importCsv(csv, {}, '?partial=true');
    expect(partial.body).toMatchObject({ created: 1, faultCount: 5 });
    expect(partial.body.faults.map(({ line }: Json) => line)).toEqual([3, 4, 6, 7, 8]);
    expect(await labelOf(good)).toBeDefined();
  });

  it('shows at most 100 of many faults and counts all', async () => {
    const { body } = await importCsv(`address\n${'x\n'.repeat(150)}`, {}, '?partial=true');
    expect([body.faultCount, body.faults.length]).toEqual([150, 100]);
  });

  it.each([
    ['name,tags\nx,y\n', 'must name the column address'],
    ['adress\nx\n', "'adress' is not a column; did you mean address?"],
    ['address,Address\nx,y\n', 'names a column twice'],
    ['', 'The text is empty'],
    ['\n\n', 'The text is empty'],
    [`address\n"0x`, 'Line 2: the quoted text that begins here is not closed.'],
  ])('an import of %j is refused with a sentence that helps', async (csv, words) => {
    const answer = await importCsv(csv);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/csv']);
    expect(answer.body.detail).toContain(words);
  });

  it('is one entry of the audit log, in the chain of its tenant', async () => {
    await importCsv(`address\n${newAddress()}\n${newAddress()}\n`, { source: 'audited' });
    const { data } = await api.ok('GET', 'audit?kind=label&size=1', undefined, { token });
    expect(data[0]).toMatchObject({
      action: 'label.import',
      tenantId: mine,
      changes: { created: 2, updated: 0, faultCount: 0, source: 'audited' },
    });
  });

  it('an import of 20,000 lines goes through in a few statements', async () => {
    const lines = Array.from({ length: 20_000 }, () => `${newAddress()},SCAM`);
    const { body } = await importCsv(`address,tags\n${lines.join('\n')}`, { source: 'large' });
    expect(body).toMatchObject({ created: 20_000, faultCount: 0 });
  });
});

describe('a sanctions list', () => {
  const [a, b, c] = [newAddress(), newAddress(), newAddress()];
  const send = (raw: string | Uint8Array, query = '', more: Json = {}) =>
    api.call('POST', `label/import/sanctions${query}`, undefined, {
      token,
      raw,
      headers: { 'content-type': 'text/plain' },
      ...more,
    });
  const active = async (source: string) => {
    const where = `source = '${source}'`;
    const { data } = await api.ok('POST', 'label/search', { where, sort: [{ field: 'id' }] }, { token });
    return data.map((label: Json) => label.address);
  };

  it('becomes labels, and its next edition replaces them', async () => {
    const other = await api.ok('POST', 'label', { address: a, source: 'by hand' }, { token });
    const first = await send(`${a}\n${b}\n`, '?source=edition');
    expect([first.status, first.body]).toEqual([
      200,
      {
        format: 'addresses (text)',
        source: 'edition',
        created: 2,
        updated: 0,
        unchanged: 0,
        removed: 0,
        unsupported: [],
        faultCount: 0,
        faults: [],
      },
    ]);
    const dry = await send(`${b}\n${c}\n`, '?source=edition&dryRun=true');
    expect(dry.body).toMatchObject({ created: 1, unchanged: 1, removed: 1 });
    expect(await active('edition')).toEqual([a, b]);
    const next = await send(JSON.stringify([b, c]), '?source=edition', {
      headers: { 'content-type': 'application/json' },
    });
    expect(next.body).toMatchObject({ format: 'addresses (JSON)', created: 1, unchanged: 1, removed: 1 });
    expect(await active('edition')).toEqual([b, c]);
    expect((await api.ok('GET', `label/${other.id}`, undefined, { token })).status).toBe('ACTIVE');
    const { data } = await api.ok('GET', 'audit?kind=label&size=1', undefined, { token });
    expect(data[0]).toMatchObject({ action: 'label.import', changes: { source: 'edition', removed: 1 } });
  });

  it('a sanctions list of another tenant and of the platform stay apart', async () => {
    await send(`${a}\n`, '?source=apart', { token: stranger });
    await send(`${a}\n`, '?source=apart', { token: undefined });
    expect((await send(`${b}\n`, '?source=apart')).body).toMatchObject({ created: 1, removed: 0 });
    expect((await send(`${b}\n`, `?tenantId=${others}`)).status).toBe(422);
    const user = await api.token(mine, 'tenant-user');
    expect((await send(`${b}\n`, '', { token: user })).status).toBe(403);
  });

  it('a sanctions list with a fault, without an address or without a body changes nothing', async () => {
    await send(`${a}\n`, '?source=kept');
    for (const [text, code] of [
      [`${b}\nnonsense\n`, 'address'],
      ['# nothing\n', 'no-addresses'],
      [`<sdnList><sdnEntry>${'<a/>'.repeat(100_000)}`, 'malformed'],
      [`<html>${' '.repeat(5_000_000)}`, 'malformed'],
    ] as const) {
      const refused = await send(text, '?source=kept');
      expect([refused.status, refused.body.errors[0].code]).toEqual([422, code]);
    }
    const empty = await api.call('POST', 'label/import/sanctions', undefined, { token });
    expect([empty.status, empty.body.detail]).toEqual([422, 'The body is missing: send the file itself.']);
    expect(await active('kept')).toEqual([a]);
    const partial = await send(`${b}\nnonsense\n`, '?source=kept&partial=true');
    expect(partial.body).toMatchObject({ created: 1, removed: 1, faultCount: 1 });
  });
});

describe('the base list', () => {
  const [a, b, c, d] = [newAddress(), newAddress(), newAddress(), newAddress()];
  const entry = (address: string, name: string) => ({
    chainUid: null,
    address,
    name,
    tags: ['MIXER'],
    score: 80,
    source: baseListSource,
    note: null,
  });
  const publish = (version: string, ...labels: ReturnType<typeof entry>[]) =>
    api.store.transaction((tx) => replaceBaseLabels(tx, labels, version, Date.now()));
  const shipped = async () => {
    const where = `source = '${baseListSource}'`;
    return (await api.ok('POST', 'label/search', { where, size: 1000, sort: [{ field: 'id' }] }, { token }))
      .data;
  };

  it('is published once as labels of the platform, and taken back when it is switched off', async () => {
    await publishBaseLabels(api.store, true, Date.now());
    const labels = await shipped();
    expect(labels.length).toBeGreaterThan(500);
    expect(new Set(labels.map(({ tenantId }: Json) => tenantId))).toEqual(new Set([null]));
    await Promise.all([1, 2, 3].map((n) => publishBaseLabels(api.store, true, Date.now() + n * 1000)));
    expect(await shipped()).toEqual(labels);
    await publishBaseLabels(api.store, false, Date.now());
    expect(await shipped()).toEqual([]);
  });

  it('updates and removes what it wrote itself, and nothing that anyone changed, deleted or wrote', async () => {
    const own = await api.ok('POST', 'label', { address: d, source: baseListSource, name: 'Ours' });
    expect(await publish('1', entry(a, 'A'), entry(b, 'B'), entry(c, 'C'), entry(d, 'D'))).toEqual({
      created: 3,
      updated: 0,
      removed: 0,
    });
    const idOf = async (address: string) =>
      (await shipped()).find((label: Json) => label.address === address).id;
    await api.ok('PUT', `label/${await idOf(b)}`, { score: 5 });
    await api.ok('DELETE', `label/${await idOf(c)}`);
    expect(await publish('2', entry(a, 'A2'), entry(b, 'B2'), entry(c, 'C2'), entry(d, 'D2'))).toEqual({
      created: 0,
      updated: 1,
      removed: 0,
    });
    expect((await shipped()).map(({ name, score }: Json) => [name, score])).toEqual([
      ['Ours', 100],
      ['A2', 80],
      ['B', 5],
    ]);
    expect(await publish('3')).toEqual({ created: 0, updated: 0, removed: 1 });
    expect((await shipped()).map(({ name }: Json) => name)).toEqual(['Ours', 'B']);
    expect((await api.ok('GET', `label/${own.id}`)).name).toBe('Ours');
  });
});

describe('the watcher', () => {
  it('finds the active labels of addresses on a chain, the platform’s and every tenant’s', async () => {
    const [a, b, c] = [newAddress(), newAddress(), newAddress()];
    const platform = await api.ok('POST', 'label', {
      address: a,
      tags: ['SANCTION'],
      score: 80,
      name: 'Listed',
    });
    const own = await api.ok('POST', 'label', { address: a, chainUid: 'base' }, { token });
    await api.ok('POST', 'label', { address: a, chainUid: 'polygon' }, { token });
    await api.ok('POST', 'label', { address: b, status: 'DISABLED' }, { token: stranger });
    const gone = await api.ok('POST', 'label', { address: b }, { token });
    await api.ok('DELETE', `label/${gone.id}`);
    const found = await findLabels(api.store, { chainUid: 'base', addresses: [a, b, c, a] });
    expect(found.map(({ id, tenantId }) => [id, tenantId])).toEqual([
      [platform.id, null],
      [own.id, mine],
    ]);
    expect(found[0]).toEqual({
      id: platform.id,
      tenantId: null,
      chainUid: null,
      address: a,
      name: 'Listed',
      tags: ['SANCTION'],
      score: 80,
      source: null,
      note: null,
    });
    expect(await findLabels(api.store, { chainUid: 'base', addresses: [] })).toEqual([]);
  });

  it('is not misled by another address with the same hash', async () => {
    const [a, b] = [newAddress(), newAddress()];
    const { id } = await api.ok('POST', 'label', { address: a });
    await api.ok('POST', 'label', { address: b });
    await api.store.query(
      sql`update address_label set address_hash = (select address_hash from address_label where address = ${b}) where id = ${id}`,
    );
    const found = await findLabels(api.store, { chainUid: 'base', addresses: [b] });
    expect(found.map(({ address }) => address)).toEqual([b]);
  });

  it('lists the addresses that carry any of the tags and that their score suspects', async () => {
    const [a, b, c] = [newAddress(), newAddress(), newAddress()];
    await api.ok('POST', 'label', { address: newAddress(), tags: ['FERRY'], chainUid: 'base', score: 0 });
    for (const [address, tags] of [
      [a, ['TUMBLER']],
      [b, ['FERRY', 'X']],
      [c, ['X']],
    ] as const)
      await api.ok('POST', 'label', { address, tags, chainUid: 'base' });
    const list = async (chainUid: string) =>
      (await listLabelledAddresses(api.store, { chainUid, tags: ['TUMBLER', 'FERRY'] })).map(
        ({ address }) => address,
      );
    expect(await list('base')).toEqual([a, b]);
    expect(await list('polygon')).toEqual([]);
  });

  it('looks labels up by index', async () => {
    await api.store.query(sql`analyze address_label`);
    const explaining: Db = {
      isDistributed: api.store.isDistributed,
      query: (statement) => api.store.query(sql`explain ${statement}`),
      repeated: (statement) => api.store.query(sql`explain ${statement}`),
      prepared: (statement) => api.store.query(sql`explain ${statement}`),
    };
    const plan = async (rows: Promise<unknown[]>) => JSON.stringify(await rows);
    const addresses = [newAddress(), newAddress()];
    expect(await plan(findLabels(explaining, { chainUid: 'base', addresses }))).toContain(
      'address_label_hash',
    );
    const tagged = listLabelledAddresses(explaining, { chainUid: 'base', tags: ['TUMBLER'] });
    expect(await plan(tagged)).toContain('address_label_tags');
  });

  it('gets every change of labels within a second', async () => {
    const [found] = await api.store.query<{ database: string }>(sql`select current_database() as database`);
    const client = new Client({ ...inject('postgres'), database: found!.database });
    await client.connect();
    try {
      const heard: string[] = [];
      client.on('notification', ({ channel, payload }) => heard.push(`${channel} ${payload}`));
      await client.query('listen vigil_watch');
      const label = await api.ok('POST', 'label', { address: newAddress() }, { token });
      await until(() => heard.length === 1);
      await api.ok('PUT', `label/${label.id}`, { score: 1 }, { token });
      await until(() => heard.length === 2);
      await api.ok('DELETE', `label/${label.id}`, undefined, { token });
      await until(() => heard.length === 3);
      await importCsv(`address\n${newAddress()}\n`);
      await until(() => heard.length === 4);
      expect(new Set(heard)).toEqual(new Set(['vigil_watch labels']));
    } finally {
      await client.end();
    }
  });
});

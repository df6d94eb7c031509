import { BlockList } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toEgress } from '../../../src/lib/egress.ts';
import { sql } from '../../../src/lib/sql.ts';
import { type Json, startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { createWorld } from '../../support/createWorld.ts';
import { expectProblem, faultCode } from '../../support/expectProblem.ts';
import { list, record } from '../../support/memberRules.ts';
import { destinationMembers, destinationWithoutType } from '../../support/recordMembers.ts';
import { sampleDestinations } from '../../support/sampleDestinations.ts';

let api: TestApi;
let tenantId: number;
beforeAll(async () => {
  api = await startTestApi({ egress: { ...toEgress(new BlockList()), ports: new Set([8443]) } });
  tenantId = (await createWorld(api)).tenant.id;
});
afterAll(() => api.stop());

const withType = record(destinationMembers);
const hook = 'https://hooks.example.com/a';
/** What is shown of the webhook address of MESSENGER_B, which is a credential. */
const sealed = 'https://hooks.example.com/[sealed]';
const make = (body: Json) => api.ok('POST', 'destination', { tenantId, ...body });
const refuse = (body: Json) => api.call('POST', 'destination', { tenantId, ...body });

/** One of every type, by the members that its kind needs. */
const kinds = sampleDestinations;

describe('POST /destination', () => {
  it('takes every member of docs/api-spec.md and answers with exactly its members, without type', async () => {
    const given = {
      tags: ['DEFAULT', 'DETECTOR', 'WALLET'],
      uri: hook,
      method: 'PUT',
      messengerABotUsername: 'bot',
      // What only `/bind` sets is taken as null, or as it is.
      messengerAUsername: null,
      messengerAUserId: null,
      messengerAChatId: null,
      messengerAChatTitle: null,
      messengerAChatType: null,
    };
    const headers = { 'X-Team': 'blue' };
    const answer = await refuse({ type: 'HTTP', value: hook, headers, ...given });
    expect(answer.status, answer.text).toBe(201);
    expect(destinationWithoutType(answer.body)).toEqual([]);
    expect(answer.body).toMatchObject({ tenantId, value: hook, ...given, messengerBUri: null });
    expect(Object.keys(answer.body.headers)).toEqual(['X-Team']);
    expect(await make({ type: 'MESSENGER_A', messengerABotUsername: 'bot' })).toMatchObject({
      messengerABotUsername: 'bot',
    });
  });

  it.each(kinds)('makes a $type destination that shows its type when read or changed only', async (body) => {
    const answer = await api.call('POST', 'destination', { tenantId, ...body });
    const made = answer.body;
    expect(destinationWithoutType(made)).toEqual([]);
    expect(made.tags).toEqual([]);
    const { body: read, headers } = await api.call('GET', `destination/${made.id}`);
    expect(read).toMatchObject({ ...made, type: body.type });
    expect(headers.get('etag')).toBe(answer.headers.get('etag'));
    const changed = await api.ok('PUT', `destination/${made.id}`, { tags: ['WALLET'] });
    expect(withType(changed)).toEqual([]);
    expect(changed).toEqual({ ...made, type: body.type, tags: ['WALLET'], updatedAt: changed.updatedAt });
    const found = await api.ok('POST', 'destination/search', { where: `id = ${made.id}` });
    expect(list(destinationWithoutType)(found.data)).toEqual([]);
    expect(found.data).toEqual([{ ...made, tags: ['WALLET'], updatedAt: changed.updatedAt }]);
  });

  it('gives MESSENGER_A a bind instruction of its own as uid, and every other kind a plain one', async () => {
    const uids = await Promise.all(
      [...kinds, ...kinds].map(async (body) => (await make(body)).uid as string),
    );
    expect(new Set(uids).size).toBe(uids.length);
    const instructions = uids.filter((uid) => /^\/bind \S{8,}$/.test(uid));
    expect(instructions).toHaveLength(2);
    expect(uids.filter((uid) => /^\S+$/.test(uid))).toHaveLength(uids.length - 2);
  });

  it('accepts the messengerB members too, without which that kind could not be made', async () => {
    const given = { messengerBUri: hook, messengerBChannelId: 'C01', messengerBChannelName: 'alerts' };
    const shown = { messengerBUri: sealed, value: sealed };
    expect(await make({ type: 'MESSENGER_B', ...given })).toMatchObject({ ...given, ...shown });
  });

  it.each([
    ['HTTP', 'uri'],
    ['MESSENGER_B', 'messengerBUri'],
  ])('a destination of type %s has one address under two names: value and %s', async (type, own) => {
    const other = `${hook}/other`;
    const shown = (uri: string) => (type === 'MESSENGER_B' ? sealed : uri);
    for (const body of [{ value: hook }, { [own]: hook }, { value: hook, [own]: hook }]) {
      const made = await make({ type, ...body });
      expect([made.value, made[own]]).toEqual([shown(hook), shown(hook)]);
    }
    expectProblem(await refuse({ type, value: hook, [own]: other }), 400, `/${own}`);
    const { id } = await make({ type, value: hook });
    for (const [change, now] of [
      [{ value: other }, other],
      [{ [own]: hook }, hook],
      [{ value: other, [own]: other }, other],
    ] as const) {
      const changed = await api.ok('PUT', `destination/${id}`, change);
      expect([changed.value, changed[own]]).toEqual([shown(now), shown(now)]);
    }
    const clash = { value: `${hook}/1`, [own]: `${hook}/2` };
    expectProblem(await api.call('PUT', `destination/${id}`, clash), 400, `/${own}`);
    const read = await api.ok('GET', `destination/${id}`);
    const edited = await api.ok('PUT', `destination/${id}`, { ...read, [own]: hook });
    expect([edited.value, edited[own]]).toEqual([shown(hook), shown(hook)]);
  });

  it.each([
    [{ type: 'FAX', value: '1' }, '/type'],
    [{ type: 'http', uri: hook }, '/type'],
    [{ uri: hook }, '/type'],
    [{ type: 'HTTP', uri: hook, tags: ['OTHER'] }, '/tags/0'],
    [{ type: 'HTTP', uri: hook, tags: 'DEFAULT' }, '/tags'],
    [{ type: 'HTTP', uri: hook, headers: ['X-Team: blue'] }, '/headers'],
    [{ type: 'HTTP', uri: hook, headers: { 'X-Team': 1 } }, '/headers/X-Team'],
    [{ type: 'HTTP', uri: 5 }, '/uri'],
    [{ type: 'MESSENGER_A', messengerAChatId: -10002 }, '/messengerAChatId'],
    [{ type: 'EMAIL', value: 'nobody' }, '/value'],
    [{ type: 'EMAIL' }, '/value'],
    [{ type: 'HTTP' }, '/uri'],
    [{ type: 'MESSENGER_B' }, '/messengerBUri'],
    [{ type: 'HTTP', uri: 'ftp://example.com' }, '/uri'],
    [{ type: 'HTTP', uri: 'http://127.0.0.1/hook' }, '/uri'],
    [{ type: 'HTTP', uri: 'http://10.1.2.3/hook' }, '/uri'],
    [{ type: 'HTTP', value: 'http://169.254.169.254/latest' }, '/value'],
    [{ type: 'MESSENGER_B', messengerBUri: 'http://[::1]/hook' }, '/messengerBUri'],
    [{ type: 'HTTP', uri: hook, uid: 'mine' }, '/uid'],
    [{ type: 'HTTP', uri: hook, id: 1 }, '/id'],
    [{ type: 'HTTP', uri: hook, createdAt: 1 }, '/createdAt'],
    [{ type: 'HTTP', uri: hook, status: 'ACTIVE' }, '/status'],
  ])('refuses %j at %s', async (body, pointer) => {
    expectProblem(await refuse(body), 400, pointer);
  });

  it.each([
    [{ type: 'EMAIL', value: 'a@example.com', uri: hook }, '/uri'],
    [{ type: 'EMAIL', value: 'a@example.com', headers: { 'X-A': 'b' } }, '/headers'],
    [{ type: 'MESSENGER_B', messengerBUri: hook, method: 'PUT' }, '/method'],
    [{ type: 'HTTP', uri: hook, messengerBChannelId: 'C01' }, '/messengerBChannelId'],
    [{ type: 'MESSENGER_A', messengerBUri: hook }, '/messengerBUri'],
  ])('refuses %j, whose %s belongs to another type', async (body, pointer) => {
    const problem = expectProblem(await refuse(body), 422, pointer);
    expect(faultCode(problem, pointer)).toBe('other-type');
  });
});

describe('PUT /destination/{id}', () => {
  it('takes every member of docs/api-spec.md', async () => {
    const { id } = await make({ type: 'EMAIL', value: 'alice@example.com' });
    const given = {
      type: 'MESSENGER_B',
      tags: ['DETECTOR'],
      value: hook,
      messengerABotUsername: null,
      messengerAUserId: null,
      messengerAUsername: null,
      messengerAChatId: null,
      messengerAChatTitle: null,
      messengerAChatType: null,
      messengerBUri: hook,
      messengerBChannelId: 'C01',
      messengerBChannelName: 'alerts',
      uri: null,
      method: null,
      headers: null,
    };
    const changed = await api.ok('PUT', `destination/${id}`, given);
    expect(withType(changed)).toEqual([]);
    expect(changed).toMatchObject({ id, tenantId, ...given, value: sealed, messengerBUri: sealed });
    const to = { type: 'HTTP', uri: `${hook}/2`, method: 'PUT' };
    const moved = await api.ok('PUT', `destination/${id}`, { ...to, headers: { 'X-A': 'b' } });
    expect(moved).toMatchObject({ ...to, value: `${hook}/2`, headers: { 'X-A': '[sealed]' } });
    // Nothing is left of the kind that it was.
    expect(moved).toMatchObject({ messengerBUri: null, messengerBChannelId: null });
    const bot = { type: 'MESSENGER_A', messengerABotUsername: 'bot', headers: null };
    expect(await api.ok('PUT', `destination/${id}`, bot)).toMatchObject({ ...bot, uri: null, method: null });
  });

  it('keeps what is left out, clears with null, and takes back unchanged what was read', async () => {
    const { id } = await make({
      type: 'HTTP',
      uri: hook,
      headers: { 'X-A': 'secret-value' },
      tags: ['WALLET'],
    });
    const read = await api.call('GET', `destination/${id}`);
    expect(read.text).not.toContain('secret-value');
    const back = await api.ok('PUT', `destination/${id}`, read.body);
    expect(read.body).toMatchObject(back);
    const named = await api.ok('PUT', `destination/${id}`, { method: 'PUT' });
    expect(named).toEqual({ ...back, method: 'PUT', updatedAt: named.updatedAt });
    const cleared = await api.ok('PUT', `destination/${id}`, { method: 'POST', headers: null });
    expect(cleared).toEqual({ ...back, headers: null, updatedAt: cleared.updatedAt });
    for (const member of ['type', 'tags']) {
      expectProblem(await api.call('PUT', `destination/${id}`, { [member]: null }), 400, `/${member}`);
    }
    expectProblem(await api.call('PUT', `destination/${id}`, { uri: null }), 400, '/uri');
  });

  it('sends header values to no other receiver than the one they were given for', async () => {
    const { id } = await make({ type: 'HTTP', uri: hook, headers: { 'X-A': 'secret-value' } });
    const away = 'https://elsewhere.example.net/a';
    for (const change of [
      { uri: away },
      { value: away, headers: { 'X-A': '[sealed]', 'X-B': 'c' } },
      { uri: hook.replace('https', 'http') },
      { uri: hook.replace('.com', '.com:8443') },
      { type: 'EMAIL', value: 'alice@example.com' },
      { type: 'MESSENGER_B', value: away, messengerBUri: away },
      { type: 'MESSENGER_A', value: away },
    ]) {
      const answer = await api.call('PUT', `destination/${id}`, change);
      expect(faultCode(expectProblem(answer, 400, '/headers'), '/headers'), JSON.stringify(change)).toBe(
        'sealed',
      );
    }
    await api.ok('PUT', `destination/${id}`, { uri: `${hook}/other-path` });
    const given = await api.ok('PUT', `destination/${id}`, { uri: away, headers: { 'X-A': 'new' } });
    expect(given).toMatchObject({ uri: away, headers: { 'X-A': '[sealed]' } });
    expect(await api.ok('PUT', `destination/${id}`, { uri: hook, headers: null })).toMatchObject({
      uri: hook,
    });
    await api.ok('PUT', `destination/${id}`, { uri: away });
  });

  it('refuses another value for what only comes out', async () => {
    const read = await make({ type: 'HTTP', uri: hook });
    const others = { id: read.id + 1, createdAt: 1, updatedAt: 1, tenantId: tenantId + 1, uid: 'other' };
    for (const [member, value] of Object.entries(others)) {
      const answer = await api.call('PUT', `destination/${read.id}`, { [member]: value });
      expect(faultCode(expectProblem(answer, 400), `/${member}`)).toBe('read-only');
    }
    const all = await api.call('PUT', `destination/${read.id}`, others);
    expect(all.body.errors.map((fault: Json) => fault.pointer)).toEqual(
      Object.keys(others).map((member) => `/${member}`),
    );
  });

  it('gets a bind instruction as uid when it becomes MESSENGER_A, and loses it when it becomes another', async () => {
    const made = await make({ type: 'HTTP', uri: hook });
    const bound = await api.ok('PUT', `destination/${made.id}`, { type: 'MESSENGER_A' });
    expect(bound.uid).toMatch(/^\/bind \S{8,}$/);
    const tagged = await api.ok('PUT', `destination/${made.id}`, { tags: ['WALLET'] });
    expect(tagged.uid).toBe(bound.uid);
    const back = await api.ok('PUT', `destination/${made.id}`, { type: 'HTTP', uri: hook });
    expect(back.uid).toMatch(/^\S+$/);
  });

  it('takes the chat of MESSENGER_A from /bind alone', async () => {
    const members = ['UserId', 'Username', 'ChatId', 'ChatTitle', 'ChatType'].map(
      (name) => `messengerA${name}`,
    );
    const { id, uid } = await make({ type: 'MESSENGER_A' });
    for (const member of members) {
      const given = { [member]: '-10002' };
      expect(
        expectProblem(await refuse({ type: 'MESSENGER_A', ...given }), 422, `/${member}`).detail,
      ).toMatch(/\/bind <code>/);
      expectProblem(await api.call('PUT', `destination/${id}`, given), 422, `/${member}`);
    }
    await api.store.query(
      sql`update destination set messenger_a_chat_id = '-1', messenger_a_user_id = '7', messenger_a_username = 'alice',
        messenger_a_chat_title = 'T', messenger_a_chat_type = 'group' where id = ${id}`,
    );
    const read = await api.ok('GET', `destination/${id}`);
    expect(await api.ok('PUT', `destination/${id}`, read)).toMatchObject({ messengerAChatId: '-1', uid });
    expectProblem(await api.call('PUT', `destination/${id}`, { messengerAChatId: '-2' }), 422);
    const unbound = await api.ok('PUT', `destination/${id}`, { messengerAChatId: null });
    for (const member of members) expect(unbound[member]).toBe(null);
    expect(unbound.uid).not.toBe(uid);
  });

  it('becomes another kind only with an address that fits it', async () => {
    const { id } = await make({ type: 'EMAIL', value: 'alice@example.com' });
    expectProblem(await api.call('PUT', `destination/${id}`, { type: 'HTTP' }), 400);
    expectProblem(await api.call('PUT', `destination/${id}`, { value: 'nobody' }), 400, '/value');
    expect(await api.ok('GET', `destination/${id}`)).toMatchObject({
      type: 'EMAIL',
      value: 'alice@example.com',
    });
  });
});

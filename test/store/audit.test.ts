import { verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources } from '../../src/api/endpoints/endpoints.ts';
import { raw, sql } from '../../src/lib/sql.ts';
import { hashToken } from '../../src/lib/token.ts';
import { findTokenByHash } from '../../src/store/accounts/tokens.ts';
import { appendAudit } from '../../src/store/records/audit.ts';
import { verifyAudit } from '../../src/store/records/verifyAudit.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { recordWrites } from '../support/recordWrites.ts';

let api: TestApi;
let world: World;
let requests = 0;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
  await api.ok('POST', 'organisation', { name: 'Taken' });
  // A project takes each license once, so the new instance needs another.
  world.license = await api.ok('POST', 'license', { name: 'Another', version: '1' });
});
afterAll(() => api.stop());

/** Sends a request and returns its answer with the entries that it left. */
async function audited(method: string, path: string, body?: unknown, token: string | null = api.adminToken) {
  const requestId = `audited-${++requests}`;
  const before = await entries();
  const answer = await api.call(method, path, body, { token, headers: { 'x-request-id': requestId } });
  // Refused logins are counted first.
  await api.services.failedLogins.flush();
  const left = (await entries()).slice(before.length);
  return { ...answer, requestId, left: left.map((text): Json => JSON.parse(text)), texts: left };
}

async function entries(): Promise<string[]> {
  const rows = await api.store.query<{ entry: string }>(
    // Entries have no time of their own beside the request's; xmin is the order in which they were written.
    sql`select entry from audit_entry order by xmin::text::bigint, chain, seq`,
  );
  return rows.map(({ entry }) => entry);
}

describe('every endpoint that writes a record', () => {
  it('is known to this test', () => {
    const paths = resources.map(({ endpoints }) => endpoints.find(({ effect }) => effect === 'create')!.path);
    expect(Object.keys(recordWrites).sort()).toEqual(paths.sort());
  });

  for (const { kind, endpoints } of resources) {
    const path = endpoints.find(({ effect }) => effect === 'create')!.path;
    const has = (method: string) => endpoints.some((endpoint) => endpoint.method === method);
    const { create, update } = recordWrites[path]!;

    it(`${path} leaves exactly one entry, with who, when, which request and what changed`, async () => {
      const actor = {
        tokenId: (await findTokenByHash(api.store, hashToken(api.adminToken), Date.now()))!.id,
        tokenKind: 'ADMIN',
        userId: null,
      };
      const body = create(world, `audit-${path.replaceAll('/', '')}`);
      const made = await audited('POST', path.slice(1), body);
      expect(made.status, made.text).toBe(201);
      expect(made.left).toHaveLength(1);
      const { id, token, ...shown } = made.body;
      const tenantId = path === '/tenant' ? id : isPlatform(path) ? null : world.tenant.id;
      const common = { requestId: made.requestId, tenantId, actor, record: { kind: kind.table.kind, id } };
      expect(made.left[0]).toMatchObject({ ...common, action: `${kind.table.kind}.create` });
      expect(Math.abs(made.left[0]!.at - Date.now())).toBeLessThan(60_000);
      for (const [member, after] of Object.entries(shown))
        if (after !== null) expect(made.left[0]!.changes[member]).toEqual({ before: null, after });
      const link = made.headers.get('x-invite-accept-link');
      expectNoSecrets(made.texts, [token, link && new URL(link).searchParams.get('invite')]);

      if (has('PUT')) {
        const read = await audited('GET', `${path.slice(1)}/${id}`);
        expect(read.left).toEqual([]);
        const changed = await audited('PUT', `${path.slice(1)}/${id}`, update);
        expect(changed.status, changed.text).toBe(200);
        // A password that someone else sets has an entry of its own.
        const left = changed.left.filter(({ action }) => action !== 'user.reset');
        expect(left).toHaveLength(1);
        expect(left[0]).toMatchObject({
          ...common,
          requestId: changed.requestId,
          action: `${kind.table.kind}.update`,
        });
        const { changes } = left[0]!;
        const differs = Object.keys(changed.body).filter(
          (member) => JSON.stringify(changed.body[member]) !== JSON.stringify(read.body[member]),
        );
        expect(Object.keys(changes).sort()).toEqual(differs.sort());
        for (const member of differs)
          expect(changes[member]).toEqual({ before: read.body[member], after: changed.body[member] });
        expectNoSecrets(changed.texts, []);
      }

      // Outcomes name silences, so that these stay.
      if (!has('DELETE')) return;
      const gone = await audited('DELETE', `${path.slice(1)}/${id}`);
      expect(gone.status, gone.text).toBe(200);
      expect(gone.left).toHaveLength(1);
      expect(gone.left[0]).toMatchObject({
        ...common,
        requestId: gone.requestId,
        action: `${kind.table.kind}.delete`,
        changes: { deleted: { [kind.table.kind]: 1 } },
      });
      expectNoSecrets(gone.texts, []);
    });
  }

  it('sessions, refused logins and accepted invites leave one entry each, with the address', async () => {
    const invite = await api.call('POST', 'invite', {
      tenantId: world.tenant.id,
      email: 'accepted@example.com',
      roles: ['tenant-manager'],
      url: 'https://console.example.com/accept',
    });
    const uid = new URL(invite.headers.get('x-invite-accept-link')!).searchParams.get('invite')!;
    const person = { name: 'A', password: 'correct horse battery' };
    const accepted = await audited('POST', `invite/${uid}/accept`, person, null);
    expect(accepted.left.map(({ action }) => action)).toEqual(['user.create']);
    expectNoSecrets(accepted.texts, [uid]);
    expect((await audited('POST', `invite/${uid}/accept`, person, null)).left).toEqual([]);

    const login = { email: 'accepted@example.com', password: person.password };
    const refused = await audited('POST', 'auth/login', { ...login, password: 'wrong horse battery' }, null);
    expect(refused.left).toMatchObject([
      {
        action: 'session.refuse',
        tenantId: world.tenant.id,
        actor: { tokenId: null, userId: accepted.body.id },
        changes: { count: 1, addresses: ['127.0.0.1'] },
      },
    ]);
    const stranger = { email: 'nobody@example.com', password: 'wrong horse battery' };
    const unknown = await audited('POST', 'auth/login', stranger, null);
    expect(unknown.left).toMatchObject([
      {
        action: 'session.refuse',
        tenantId: null,
        actor: { userId: null },
        changes: { count: 1, addresses: ['127.0.0.1'] },
      },
    ]);
    expectNoSecrets([...refused.texts, ...unknown.texts], []);
    const opened = await audited('POST', 'auth/login', login, null);
    expect(opened.left).toMatchObject([
      { action: 'session.login', actor: { userId: accepted.body.id, address: '127.0.0.1' } },
    ]);
    const refreshed = await audited('POST', 'auth/refresh', undefined, opened.body.token);
    expect(refreshed.left).toMatchObject([{ action: 'session.refresh', tenantId: world.tenant.id }]);
    const closed = await audited('POST', 'auth/logout', undefined, refreshed.body.token);
    expect(closed.left).toMatchObject([{ action: 'session.logout', actor: { userId: accepted.body.id } }]);
    expectNoSecrets(
      [...opened.texts, ...refreshed.texts, ...closed.texts],
      [opened.body.token, refreshed.body.token],
    );
  });
});

describe('a request that changes nothing', () => {
  it.each([
    ['is malformed', 'POST', 'project', { nmae: 'x' }, 400],
    ['names a record that is not there', 'PUT', 'project/999999', { name: 'x' }, 404],
    ['runs into a name that is taken', 'POST', 'organisation', { name: 'Taken' }, 409],
    [
      'refers to nothing',
      'POST',
      'contract',
      {
        projectId: 999_999,
        name: 'x',
        chainUid: 'anvil',
        address: '0x00000000000000000000000000000000000000c0',
      },
      422,
    ],
  ])(
    'a request that changes nothing because it %s leaves no entry',
    async (_, method, path, body, status) => {
      const answer = await audited(method, path, body);
      expect({ status: answer.status, left: answer.left }).toEqual({ status, left: [] });
    },
  );

  it('a request whose commit fails leaves neither record nor entry', async () => {
    await api.store.query(
      sql`create function fail() returns trigger language plpgsql as 'begin raise exception ''no''; end'`,
    );
    await api.store.query(
      sql`create constraint trigger fail after insert on organisation deferrable initially deferred
        for each row execute function fail()`,
    );
    const answer = await audited('POST', 'organisation', { name: 'Never' });
    expect({ status: answer.status, left: answer.left }).toEqual({ status: 500, left: [] });
    await api.store.query(sql`drop trigger fail on organisation`);
    const { data } = await api.ok('POST', 'organisation/search', { where: "name = 'Never'" });
    expect(data).toEqual([]);
    expect((await verifyAudit(api.store, api.services.keyring.audit)).faults).toEqual([]);
  });
});

describe('what leaves the log', () => {
  const lines = (text: string): Json[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  it('is exported as JSON lines, chain by chain, each caller’s own', async () => {
    const all = await api.call('GET', 'audit/export');
    expect([all.status, all.headers.get('content-type')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
    ]);
    const rows = await api.store.query<{ chain: number; seq: number }>(
      sql`select chain, seq from audit_entry order by chain, seq`,
    );
    expect(lines(all.text).map(({ tenantId, seq }) => ({ chain: tenantId ?? 0, seq }))).toEqual(rows);
    const token = await api.token(world.tenant.id, 'tenant-manager');
    const own = lines((await api.call('GET', 'audit/export', undefined, { token })).text);
    expect(own).toEqual(lines(all.text).filter(({ tenantId }) => tenantId === world.tenant.id));
    const middle = own[Math.floor(own.length / 2)]!.at;
    const some = await api.call('GET', `audit/export?since=${middle}&kind=project`, undefined, { token });
    expect(lines(some.text)).toEqual(
      own.filter(({ at, record }) => at >= middle && record.kind === 'project'),
    );
    const shown = (await api.ok('GET', 'audit?size=1', undefined, { token })).data[0];
    expect(own).toContainEqual(shown);
  });

  it('goes through pages of any number of entries', async () => {
    const many = 1203;
    const tenant = await api.ok('POST', 'tenant', { name: 'Long log' });
    for (let i = 1; i < many; i++)
      await appendAudit(api.store, api.services.keyring.audit, {
        at: i,
        requestId: 'r',
        tenantId: tenant.id,
        actor: { tokenId: null, tokenKind: 'SYSTEM', userId: null },
        action: 'project.update',
        record: { kind: 'project', id: i },
        changes: {},
      });
    const { text } = await api.call('GET', `audit/export?tenantId=${tenant.id}`);
    expect(lines(text).map(({ seq }) => seq)).toEqual(Array.from({ length: many }, (_, i) => i + 1));
  });

  it('is stated by checkpoints that hold the chains of their caller', async () => {
    const token = await api.token(world.tenant.id, 'tenant-manager');
    const signed = await api.ok('GET', 'audit/checkpoint', undefined, { token });
    const heads = await api.store.query<{ seq: number; hash: string }>(
      sql`select seq, encode(hash, 'hex') as hash from audit_head where chain = ${world.tenant.id}`,
    );
    expect(JSON.parse(signed.payload).chains).toMatchObject([{ tenantId: world.tenant.id, ...heads[0] }]);
    const all = await api.ok('GET', 'audit/checkpoint');
    expect(JSON.parse(all.payload).chains.length).toBeGreaterThan(1);
    const [text, signature] = [Buffer.from(signed.payload), Buffer.from(signed.signature, 'base64')];
    expect(verify(null, text, signed.publicKey, signature)).toBe(true);
  });
});

describe('the table of entries', () => {
  it.each([
    `update audit_entry set entry = entry`,
    `update audit_entry set at = 0 where false`,
    `delete from audit_entry where seq = 1`,
    `truncate audit_entry`,
    `insert into audit_entry select chain, 1, hash, entry, at, action, record_kind, record_id from audit_entry where seq = 1
      on conflict (chain, seq) do update set entry = ''`,
  ])('refuses: %s', async (statement) => {
    const before = await entries();
    await expect(api.store.query(raw(statement))).rejects.toThrow('The audit log is append-only.');
    expect(await entries()).toEqual(before);
  });
});

function isPlatform(path: string): boolean {
  return ['/organisation', '/plan', '/detector/schema', '/license', '/score/group'].includes(path);
}

function expectNoSecrets(texts: readonly string[], more: readonly unknown[]): void {
  const secrets = ['horse battery', '5'.repeat(64), 'header-value', 'scrypt$', ...more];
  for (const secret of secrets.filter((word) => typeof word === 'string')) {
    for (const text of texts) expect(text.includes(secret), `a secret in ${text}`).toBe(false);
  }
}

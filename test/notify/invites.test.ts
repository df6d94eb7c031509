import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { sql } from '../../src/lib/sql.ts';
import { createMailer, type Mailer } from '../../src/notify/createMailer.ts';
import { sendDueMails, startMailOutbox } from '../../src/notify/startMailOutbox.ts';
import { bodyOf, headersOf, type SmtpSink, startSmtpSink } from '../../testing/startSmtpSink.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

let api: TestApi;
let sink: SmtpSink;
let mailer: Mailer;
let tenantId: number;
let guest = 0;

beforeAll(async () => {
  [api, sink] = await Promise.all([startTestApi(), startSmtpSink()]);
  api.services.mail = true;
  mailer = createMailer({ url: new Secret(sink.url), from: 'vigil@vigil.example' });
  tenantId = (await api.ok('POST', 'tenant', { name: 'Acme' })).id;
  // As a name could be before hidden characters were refused.
  await api.store.query(sql`update tenant set name = ${'<b>Acme</b>\u202E & Co'} where id = ${tenantId}`);
});
afterEach(async () => {
  sink.mails.length = 0;
  await api.store.query(sql`delete from mail_outbox`);
});
afterAll(async () => {
  await mailer.close();
  await Promise.all([api.stop(), sink.stop()]);
});

const options = () => {
  const { store, keyring, now } = api.services;
  return { store, keyring, now, mailer, log: pino({ level: 'silent' }) };
};

function invite(over: Record<string, unknown> = {}, token?: string) {
  guest += 1;
  const url = 'https://console.example.com/accept?lang=en&x="><script>';
  const body = { tenantId, roles: ['tenant-viewer'], url, email: `guest${guest}@example.com` };
  return api.call('POST', 'invite', { ...body, ...over }, token === undefined ? {} : { token });
}

type Row = { state: string; attempts: number; wait: number; sealed: Buffer | null; error: string | null };

async function outbox(): Promise<Row[]> {
  return api.store.query<Row>(
    sql`select state, attempts, next_attempt_at - ${api.services.now()} as wait, sealed_data as sealed, last_error as error
      from mail_outbox order by created_at`,
  );
}

describe('an invite', () => {
  it('is mailed with a link that accepts it, which no one else can see', async () => {
    const answer = await invite();
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-invite-accept-link')).toBeNull();
    const [row] = await outbox();
    expect(row).toMatchObject({ state: 'PENDING', attempts: 0 });
    expect(row?.sealed?.toString('latin1')).not.toContain('vigil_invite_');
    expect(await sendDueMails(options())).toBe(1);
    const [mail] = sink.mails;
    expect(mail?.to).toEqual([answer.body.email]);
    expect(headersOf(mail!).get('message-id')?.[0]).toMatch(/^<[0-9a-f-]{36}@vigil\.example>$/);
    const body = bodyOf(mail!);
    expect(body).toContain('https://console.example.com/accept?lang=en');
    expect(body).toContain('You are invited to join &lt;b&gt;Acme&lt;/b&gt; &amp; Co on Vigil');
    expect(body).not.toContain('<script>');
    const [, uid] = /[?&]invite=(vigil_invite_[\w-]+)/.exec(body) ?? [];
    const accepted = await api.call(
      'POST',
      `invite/${uid}/accept`,
      { name: 'Guest', password: 'a long enough password' },
      { token: null },
    );
    expect(accepted.status).toBe(201);
    expect((await outbox())[0]).toMatchObject({ state: 'DELIVERED', attempts: 1, sealed: null });
    expect(await sendDueMails(options())).toBe(0);
  });

  it('sends no mail when it is refused', async () => {
    const email = `guest${guest}@example.com`;
    expect((await invite({ email })).status).toBe(409);
    expect((await invite({ tenantId: 999_999 })).status).toBe(422);
    expect(await outbox()).toEqual([]);
  });

  it('names the person who invites, the tenant and the host of the link', async () => {
    const user = {
      tenantId,
      name: 'Anna <i>Admin',
      email: 'anna@example.com',
      password: 'a long enough password',
    };
    await api.ok('POST', 'user', { ...user, roles: ['tenant-manager'] });
    const login = { email: user.email, password: user.password };
    const { token } = await api.ok('POST', 'auth/login', login, { token: null });
    expect((await invite({ tenantId: undefined }, token)).status).toBe(201);
    await sendDueMails(options());
    const body = bodyOf(sink.mails[0]!);
    expect(body).toContain('Anna &lt;i&gt;Admin invites you to join &lt;b&gt;Acme&lt;/b&gt; &amp; Co.');
    expect(body).toMatch(/The link leads to[\s\S]*console\.example\.com/);
  });

  it('leads only to the origins that the operator names', async () => {
    const strict = await startTestApi({
      inviteOrigins: ['https://console.example.com', 'http://10.0.0.1:8080'],
    });
    const { id } = await strict.ok('POST', 'tenant', { name: 'Acme' });
    const statuses: Record<string, number> = {};
    for (const [index, url] of [
      'https://console.example.com/join',
      'http://10.0.0.1:8080',
      'http://console.example.com/join',
      'https://console.example.com.evil.example/join',
      'http://10.0.0.1',
    ].entries()) {
      const body = { tenantId: id, roles: ['tenant-viewer'], url, email: `guest${index}@example.com` };
      statuses[url] = (await strict.call('POST', 'invite', body)).status;
    }
    await strict.stop();
    expect(Object.values(statuses)).toEqual([201, 201, 422, 422, 422]);
  });

  it.each([
    ['email', 'a@example.com\r\nBcc: b@example.com'],
    ['email', '"a,b"@example.com'],
    ['email', 'a,b@example.com'],
    ['email', '<a>@example.com'],
    ['url', 'https//no-page'],
    ['url', 'httpx://example.com'],
    ['url', 'https://vigil.example@evil.example'],
  ])('an invite with the %s %j is refused before anything is written', async (member, value) => {
    const answer = await invite({ [member]: value });
    expect(answer.status).toBe(member === 'url' ? 422 : 400);
    expect(answer.body.errors[0].pointer).toBe(`/${member}`);
    expect(await outbox()).toEqual([]);
  });

  it('is tried again when the server says later, on the schedule of webhooks', async () => {
    await invite();
    sink.refuse('451 4.7.1 Greylisted', '451 4.7.1 Greylisted');
    await sendDueMails(options());
    const [first] = await outbox();
    expect(first).toMatchObject({ state: 'PENDING', attempts: 1 });
    expect(first?.error).toContain('Greylisted');
    expect(first?.wait).toBeGreaterThan(3500);
    expect(first?.wait).toBeLessThanOrEqual(6000);
    expect(await sendDueMails(options())).toBe(0);
    api.advance(6000);
    await sendDueMails(options());
    expect((await outbox())[0]?.wait).toBeGreaterThan(230_000);
    api.advance(400_000);
    await sendDueMails(options());
    expect((await outbox())[0]).toMatchObject({ state: 'DELIVERED', attempts: 3 });
    expect(sink.mails).toHaveLength(1);
  });

  it('is dead when there is no such mailbox, and its secret is deleted', async () => {
    await invite();
    sink.refuse('550 5.1.1 No such user');
    await sendDueMails(options());
    expect((await outbox())[0]).toMatchObject({ state: 'DEAD', attempts: 1, sealed: null });
  });

  it('is dead after the last attempt of the schedule', async () => {
    await invite();
    await api.store.query(sql`update mail_outbox set attempts = 9`);
    sink.refuse('451 4.7.1 Greylisted');
    await sendDueMails(options());
    expect((await outbox())[0]).toMatchObject({ state: 'DEAD', attempts: 10, sealed: null });
  });

  it('an invite of a process that died while sending is sent by another, by two at once only once', async () => {
    await invite();
    const { store, keyring, now } = api.services;
    const stuck: Mailer = { send: () => new Promise(() => {}), close: async () => {} };
    void sendDueMails({ store, keyring, now, mailer: stuck, log: pino({ level: 'silent' }) });
    await vi.waitFor(async () => {
      const rows = await store.query<{ leased: boolean }>(
        sql`select lease_until is not null as leased from mail_outbox`,
      );
      expect(rows).toEqual([{ leased: true }]);
    });
    expect(await sendDueMails(options())).toBe(0);
    await store.query(sql`update mail_outbox set lease_until = clock_timestamp() - interval '1 s'`);
    const counts = await Promise.all([sendDueMails(options()), sendDueMails(options())]);
    expect(new Set(counts)).toEqual(new Set([0, 1]));
    expect(sink.mails).toHaveLength(1);
  });

  it('goes out by itself while the loop runs', async () => {
    const outboxLoop = startMailOutbox(options());
    await invite();
    await vi.waitFor(() => expect(sink.mails).toHaveLength(1), { timeout: 60_000 });
    await outboxLoop.stop();
  });
});

describe('a password that someone else sets', () => {
  it('is reported to the user by mail, with who set it; one that the user sets is not', async () => {
    const email = `reset${++guest}@example.com`;
    const { id } = await api.ok('POST', 'user', { tenantId, email, roles: ['tenant-manager'] });
    expect(await outbox()).toEqual([]);
    const password = 'a long enough password';
    await api.ok('PUT', `user/${id}`, { password });
    expect(await sendDueMails(options())).toBe(1);
    expect(sink.mails[0]?.to).toEqual([email]);
    const body = bodyOf(sink.mails[0]!);
    expect(body).toContain('was set by someone else');
    expect(body).not.toContain(password);
    const { token } = await api.ok('POST', 'auth/login', { email, password });
    await api.ok('PUT', `user/${id}`, { password: 'another long password' }, { token });
    expect(await sendDueMails(options())).toBe(0);
  });
});

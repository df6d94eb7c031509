import { Client } from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { sendDueNotices, startExpiryNotices } from '../../src/notify/startExpiryNotices.ts';
import { toMailStory } from '../../src/notify/toMailStory.ts';
import { claimMails } from '../../src/store/destinations/mailOutbox.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';

const day = 86_400_000;
let api: TestApi;
let planId: number;
let tenantId: number;
let count = 0;

beforeAll(async () => {
  api = await startTestApi();
  const { data } = await api.ok('POST', 'plan/search', { size: 1 });
  planId = data[0].id;
});
afterAll(() => api.stop());

beforeEach(async () => {
  count += 1;
  tenantId = (await api.ok('POST', 'tenant', { name: `Tenant ${count}` })).id;
  await api.store.query(sql`delete from mail_outbox`);
  for (const [name, roles] of [
    ['boss', ['tenant-manager']],
    ['reader', ['tenant-viewer']],
  ] as const)
    await api.ok('POST', 'user', { tenantId, email: `${name}${count}@example.com`, roles });
});

const options = (mail = true) => {
  const { store, keyring, now } = api.services;
  return { store, keyring, now, mail, log: pino({ level: 'silent' }) };
};
const look = () => sendDueNotices(options());

async function subscribe(days: number, notifyBeforeExpireDays: number[], startDate?: number): Promise<Json> {
  const expirationDate = api.services.now() + days * day;
  const period = { ...(startDate === undefined ? {} : { startDate }), expirationDate };
  return api.ok('POST', 'subscription', { tenantId, planId, ...period, notifyBeforeExpireDays });
}

/** The mails of this test's tenants that wait, and forgets all. */
async function mails(): Promise<{ to: string; title: string }[]> {
  const { store, keyring, now } = api.services;
  const claimed = await claimMails(store, keyring, { limit: 100, leaseMs: 1000, now: now() });
  await store.query(sql`delete from mail_outbox`);
  const own = claimed.filter(({ to }) => new RegExp(`^[a-z]+${count}@`).test(to));
  return own.map((mail) => ({ to: mail.to, title: toMailStory(mail).title }));
}

const deliveries = () =>
  api.store.query<{ id: number; type: string; data: Json }>(
    sql`select d.destination_id as id, d.type, m.data from delivery d
      join delivery_message m on m.tenant_id = d.tenant_id and m.id = d.message_id
      where d.tenant_id = ${tenantId} order by d.id`,
  );

const toBoss = (title: string) => [{ to: `boss${count}@example.com`, title }];

describe('a subscription that ends', () => {
  it('notifies the managers on each of its days, once', async () => {
    await subscribe(10, [7, 1]);
    await look();
    expect(await mails()).toEqual([]);
    api.advance(3 * day);
    await Promise.all([look(), look(), look()]);
    await look();
    expect(await mails()).toEqual(toBoss(`The subscription of Tenant ${count} ends in 7 days`));
    api.advance(6 * day);
    await look();
    expect(await mails()).toEqual(toBoss(`The subscription of Tenant ${count} ends in 1 day`));
    api.advance(day / 2);
    await look();
    expect(await mails()).toEqual([]);
  });

  it('sends one notice after a downtime over several of its days, also when it has ended meanwhile', async () => {
    await subscribe(40, [30, 7, 1, 0]);
    api.advance(34 * day);
    await look();
    expect(await mails()).toEqual(toBoss(`The subscription of Tenant ${count} ends in 6 days`));
    api.advance(8 * day);
    await look();
    expect(await mails()).toEqual(toBoss(`The subscription of Tenant ${count} has ended`));
  });

  it('sends no notice twice when the clock is set back', async () => {
    await subscribe(10, [7]);
    api.advance(4 * day);
    await look();
    expect(await mails()).toHaveLength(1);
    api.advance(-3 * day);
    await look();
    api.advance(4 * day);
    await look();
    expect(await mails()).toEqual([]);
  });

  it('reaches the DEFAULT destinations too, and one mailbox once', async () => {
    const hook = await api.ok('POST', 'destination', {
      tenantId,
      type: 'HTTP',
      uri: 'https://example.com/hook',
      tags: ['DEFAULT'],
    });
    await api.ok('POST', 'destination', {
      tenantId,
      type: 'HTTP',
      uri: 'https://example.com/x',
      tags: ['WALLET'],
    });
    await api.ok('POST', 'destination', { tenantId, type: 'MESSENGER_A', tags: ['DEFAULT'] });
    const box = await api.ok('POST', 'destination', {
      tenantId,
      type: 'EMAIL',
      value: `Boss${count}@example.com`,
      tags: ['DEFAULT'],
    });
    const { id, expirationDate } = await subscribe(5, [7]);
    await look();
    expect(await mails()).toEqual([]);
    const rows = await deliveries();
    expect(rows.map((row) => row.id)).toEqual([hook.id, box.id]);
    expect(rows[0]).toMatchObject({
      type: 'subscription.expiring',
      data: { subscriptionId: id, expirationDate, daysLeft: 5, state: 'EXPIRING', tenant: { id: tenantId } },
    });
  });

  it('has new notices when it is extended', async () => {
    const { id } = await subscribe(5, [7]);
    await look();
    expect(await mails()).toHaveLength(1);
    await api.ok('PUT', `subscription/${id}`, { expirationDate: api.services.now() + 20 * day });
    await look();
    expect(await mails()).toEqual([]);
    api.advance(14 * day);
    await look();
    expect(await mails()).toHaveLength(1);
  });

  it('sends no notice when another follows it, nor for a disabled tenant', async () => {
    const { expirationDate: end } = await subscribe(5, [7]);
    await subscribe(30, [], end);
    await look();
    expect(await mails()).toEqual([]);
    const other = (await api.ok('POST', 'tenant', { name: `Disabled ${count}` })).id;
    await api.ok('POST', 'user', {
      tenantId: other,
      email: `d${count}@example.com`,
      roles: ['tenant-manager'],
    });
    const expirationDate = api.services.now() + day;
    await api.ok('POST', 'subscription', {
      tenantId: other,
      planId,
      expirationDate,
      notifyBeforeExpireDays: [7],
    });
    await api.ok('PUT', `tenant/${other}`, { status: 'DISABLED' });
    await look();
    expect(await mails()).toEqual([]);
  });

  it('writes no mail without a mail server, and still notifies the destinations', async () => {
    await api.ok('POST', 'destination', {
      tenantId,
      type: 'HTTP',
      uri: 'https://example.com/h',
      tags: ['DEFAULT'],
    });
    await subscribe(5, [7]);
    await sendDueNotices(options(false));
    expect(await mails()).toEqual([]);
    expect(await deliveries()).toHaveLength(1);
  });

  it('ends watching a week later, with one notice, and a new one starts it again', async () => {
    const client = new Client({ ...api.connection });
    const heard: string[] = [];
    onTestFinished(() => client.end());
    client.on('notification', ({ payload }) => {
      if (payload === `tenant ${tenantId}`) heard.push(payload);
    });
    await client.connect();
    await client.query('listen vigil_watch');
    await subscribe(5, []);
    await vi.waitFor(() => expect(heard).toEqual([`tenant ${tenantId}`]));
    api.advance(11.9 * day);
    await look();
    expect(await mails()).toEqual([]);
    api.advance(day / 5);
    await look();
    await look();
    expect(await mails()).toEqual(
      toBoss(`Watching has stopped: the subscription of Tenant ${count} has ended`),
    );
    await vi.waitFor(() => expect(heard).toHaveLength(2));
    await subscribe(30, []);
    await vi.waitFor(() => expect(heard).toEqual(Array.from({ length: 3 }, () => `tenant ${tenantId}`)));
    await look();
    expect(await mails()).toEqual([]);
  });

  it('a subscription that ends that was renewed after a gap is not said to have stopped', async () => {
    await subscribe(5, []);
    api.advance(8 * day);
    await subscribe(30, []);
    api.advance(5 * day);
    await look();
    expect(await mails()).toEqual([]);
  });

  it('is found by the loop as soon as it starts', async () => {
    await subscribe(5, [7]);
    const notices = startExpiryNotices(options());
    await notices.stop();
    expect(await mails()).toHaveLength(1);
  });
});

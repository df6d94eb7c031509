import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createEmailSender } from '../../src/notify/createEmailSender.ts';
import type { Sender } from '../../src/notify/createNotifier.ts';
import { claimMails } from '../../src/store/destinations/mailOutbox.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
const sent: string[] = [];
const sender: Sender = createEmailSender({
  send: async ({ to }) => {
    sent.push(to);
    return { ok: true, status: 250 };
  },
  close: async () => {},
});

beforeAll(async () => {
  world = await startNotifyWorld({ senders: { EMAIL: sender } });
  world.services.mail = true;
  world.work();
});
afterAll(() => world.stop());

const add = (value: string) =>
  world.ok('POST', 'destination', { tenantId: world.tenantId, type: 'EMAIL', value });

/** The codes in the mails that wait for an address, oldest first; the mails are gone then. */
async function codesFor(address: string): Promise<string[]> {
  const { store, keyring, now } = world.services;
  const mails = await claimMails(store, keyring, { limit: 100, leaseMs: 1, now: now() });
  const own = mails.filter(({ kind, to }) => kind === 'confirm' && to === address);
  return own.map(
    ({ data }) =>
      String((data as Json).link)
        .split('/')
        .at(-1)!,
  );
}

describe('an e-mail address', () => {
  it('gets nothing but the link until it is confirmed, and then what waited', async () => {
    const { id } = await add('new@example.com');
    expect(await world.ok('GET', `destination/${id}`)).toMatchObject({ confirmed: false });
    await world.bind(id);
    await world.push({});
    const [waiting] = (await world.deliveries(id)).data;
    expect(waiting).toMatchObject({ state: 'PENDING', lastError: expect.stringContaining('confirmed') });
    expect(await world.ok('POST', `destination/${id}/test`)).toMatchObject({
      delivered: false,
      error: expect.stringContaining('not confirmed'),
    });
    const [code] = await codesFor('new@example.com');
    expectProblem(
      await world.call('POST', 'destination/confirm/vigil_confirm_wrong', undefined, { token: null }),
      404,
    );
    expect(sent).toEqual([]);
    const confirm = () => world.call('POST', `destination/confirm/${code}`, undefined, { token: null });
    expect((await confirm()).body).toMatchObject({ address: 'new@example.com' });
    await vi.waitFor(() => expect(sent).toEqual(['new@example.com']), { timeout: 60_000 });
    expectProblem(await confirm(), 404);
    const read = await world.ok('GET', `destination/${id}`);
    expect(read.confirmed).toBe(true);
    expect((await world.ok('PUT', `destination/${id}`, read)).updatedAt).toBe(read.updatedAt);
    await world.ok('PUT', `destination/${id}`, { value: 'other@example.com' });
    expect((await world.ok('GET', `destination/${id}`)).confirmed).toBe(false);
    expect(await codesFor('other@example.com')).toHaveLength(1);
  });

  it('is mailed a new link on request, once a minute and five times a day', async () => {
    const { id } = await add('again@example.com');
    const again = () => world.call('POST', `destination/${id}/confirm`);
    expectProblem(await again(), 429);
    const [first] = await codesFor('again@example.com');
    for (let n = 0; n < 4; n++) {
      world.advance(61_000);
      expect((await again()).status).toBe(200);
    }
    world.advance(61_000);
    expect(expectProblem(await again(), 429).detail).toContain('within a day');
    await add('again@example.com');
    expect((await codesFor('again@example.com')).length).toBeLessThanOrEqual(5);
    expectProblem(await world.call('POST', `destination/confirm/${first}`, undefined, { token: null }), 404);
  });

  it('an e-mail address that is not confirmed within seven days loses what waited, with the reason on record', async () => {
    const { id } = await add('never@example.com');
    await world.bind(id);
    await world.push({});
    await world.store.query(
      sql`update delivery set created_at = created_at - 700000000 where destination_id = ${id}`,
    );
    const worker = world.work();
    await vi.waitFor(
      async () =>
        expect((await world.deliveries(id)).data[0]).toMatchObject({
          state: 'DEAD',
          lastError: 'The e-mail address was not confirmed within seven days.',
        }),
      { timeout: 60_000 },
    );
    await worker.stop();
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { toEgress } from '../../src/lib/egress.ts';
import { Secret } from '../../src/lib/secret.ts';

import { sql } from '../../src/lib/sql.ts';
import { type Bot, createBot } from '../../src/notify/createBot.ts';
import { createEmailSender } from '../../src/notify/createEmailSender.ts';
import { createMailer, type Mailer } from '../../src/notify/createMailer.ts';
import { createMessengerASender } from '../../src/notify/createMessengerASender.ts';
import { createRequestSender } from '../../src/notify/createRequestSender.ts';
import { type BotApi, startBotApi } from '../../testing/startBotApi.ts';
import { type ChatWebhook, startChatWebhook } from '../../testing/startChatWebhook.ts';
import { bodyOf, headersOf, type SmtpSink, startSmtpSink } from '../../testing/startSmtpSink.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { loopback, type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
let smtp: SmtpSink;
let chats: BotApi;
let hook: ChatWebhook;
let mailer: Mailer;
let bot: Bot;

beforeAll(async () => {
  [smtp, chats, hook] = await Promise.all([startSmtpSink(), startBotApi(), startChatWebhook()]);
  mailer = createMailer({ url: new Secret(smtp.url), from: 'vigil@vigil.example' });
  bot = createBot({ url: chats.url, token: new Secret(chats.token) });
  world = await startNotifyWorld({
    senders: {
      EMAIL: createEmailSender(mailer),
      MESSENGER_A: createMessengerASender(bot),
      MESSENGER_B: createRequestSender({ egress: toEgress(loopback()), now: Date.now }),
    },
  });
  chats.say({ id: -1, type: 'group', title: 'Ops' }, 'hello');
  world.work();
});
afterAll(async () => {
  await world.stop();
  await Promise.all([mailer.close(), bot.close()]);
  await Promise.all([smtp.stop(), chats.stop(), hook.stop()]);
});

const destination = async ({ messengerAChatId, ...members }: Json) => {
  const made = await world.ok('POST', 'destination', { tenantId: world.tenantId, ...members });
  if (messengerAChatId !== undefined)
    await world.store.query(
      sql`update destination set messenger_a_chat_id = ${messengerAChatId} where id = ${made.id}`,
    );
  await world.confirmAll();
  return made;
};

describe('people', () => {
  it('get an alert by mail and in both chats, and a flood as one digest', async () => {
    const made = [
      await destination({ type: 'EMAIL', value: 'ops@example.com' }),
      await destination({ type: 'MESSENGER_A', messengerAChatId: '-1' }),
      await destination({ type: 'MESSENGER_B', messengerBUri: hook.url }),
    ];
    await world.bind(...made.map(({ id }) => Number(id)));
    await world.push({ name: 'Drained <b>', message: 'All of it.', severity: 'CRITICAL', txHash: '0xabc' });
    await vi.waitFor(
      () => expect([smtp.mails.length, chats.sent.length, hook.posts.length]).toEqual([1, 1, 1]),
      { timeout: 60_000 },
    );
    expect(bodyOf(smtp.mails[0]!)).toContain('[CRITICAL] Drained &lt;b&gt; · Treasury on ethereum');
    expect(bodyOf(smtp.mails[0]!)).toContain('https://etherscan.io/tx/0xabc');
    expect(chats.sent[0]?.text).toContain('Drained <b>');
    expect(JSON.stringify(hook.posts[0])).toContain('All of it.');

    await world.push(...Array.from({ length: 60 }, (_, i) => ({ name: `Alert ${i}`, severity: 'LOW' })));
    await vi.waitFor(() => expect(smtp.mails.length).toBeGreaterThan(1), { timeout: 60_000 });
    expect(headersOf(smtp.mails[1]!).get('subject')).toEqual(['60 alerts: 60 LOW']);
    expect(smtp.mails).toHaveLength(2);
  });

  it.each([
    [{ type: 'EMAIL', value: 'lost@example.com' }, 'No such user'],
    [{ type: 'MESSENGER_A', messengerAChatId: '-2' }, 'bot was blocked'],
    [{ type: 'MESSENGER_B' }, '404'],
  ])('hear by the other ways that one is closed: %j', async (members, reason) => {
    const lost = await destination({ ...members, ...(reason === '404' ? { messengerBUri: hook.url } : {}) });
    await world.bind(lost.id);
    const before = smtp.mails.length;
    if (members.type === 'EMAIL') smtp.refuse('550 5.1.1 No such user');
    chats.fail(-2, { error_code: 403, description: 'Forbidden: bot was blocked by the user' });
    if (reason === '404') hook.answer({ status: 404, text: 'no_service' });
    await world.push({ name: 'Unheard' });
    await vi.waitFor(() => expect(smtp.mails.length).toBeGreaterThan(before), { timeout: 60_000 });
    const notice = smtp.mails.at(-1)!;
    expect(notice.to).toEqual(['ops@example.com']);
    expect(headersOf(notice).get('subject')).toEqual(['A destination was disabled']);
    expect(bodyOf(notice)).toContain(reason);
    expect(world.errors).toEqual([]);
  });
});

import { BlockList } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { toEgress } from '../../src/lib/egress.ts';
import { Secret } from '../../src/lib/secret.ts';

import type { Message, Target } from '../../src/model/notification.ts';
import { type Bot, createBot } from '../../src/notify/createBot.ts';
import { createMessengerASender } from '../../src/notify/createMessengerASender.ts';
import { createRequestSender } from '../../src/notify/createRequestSender.ts';
import { type BotApi, startBotApi } from '../../testing/startBotApi.ts';
import { type ChatWebhook, startChatWebhook } from '../../testing/startChatWebhook.ts';
import { alertMessage as message, targetOf } from './support/messages.ts';

const never = new AbortController().signal;
const hostile = '</b><a href="https://evil.example">x</a> & <!channel> *b* \u202E `c` @all'.repeat(3);

const target = (over: Partial<Target>) => targetOf({ type: 'MESSENGER_A', ...over });

const poisoned = message('d-1', {
  name: hostile,
  message: hostile,
  meta: { [hostile]: hostile },
  contract: { name: hostile, address: hostile },
  links: { alert: 'https://console.example.com/?a="b"&c=<d>|e' },
});

describe('the first messenger', () => {
  let api: BotApi;
  let bot: Bot;
  const chat = { id: -100, type: 'group', title: 'Security' };
  const send = (chatId: number | null, ...messages: Message[]) =>
    createMessengerASender(bot).send(
      target({ messengerAChatId: chatId === null ? null : String(chatId) }),
      messages,
      never,
    );

  beforeAll(async () => {
    api = await startBotApi();
    bot = createBot({ url: `${api.url}/`, token: new Secret(api.token) });
    api.say(chat, 'hello');
  });
  afterEach(() => {
    api.sent.length = 0;
  });
  afterAll(async () => {
    await bot.close();
    await api.stop();
  });

  it('receives the message as the preview shows it', async () => {
    expect(await send(-100, message('d-1'))).toEqual({ ok: true, status: 200 });
    expect(api.sent).toEqual([
      { chatId: '-100', marked: true, text: expect.stringContaining('[HIGH] Large transfer') },
    ]);
    const shown = createMessengerASender(bot).render(target({ messengerAChatId: '-100' }), [message('d-1')]);
    expect(shown).toMatchObject({
      type: 'MESSENGER_A',
      chatId: '-100',
      text: expect.stringContaining('<b>[HIGH]'),
    });
  });

  it('takes hostile names as the text that they are', async () => {
    expect(await send(-100, poisoned)).toMatchObject({ ok: true });
    expect(api.sent[0]).toMatchObject({ marked: true, text: expect.stringContaining('<!channel> *b*') });
  });

  it('gets one message for a hundred, within its length', async () => {
    const many = Array.from({ length: 100 }, (_, i) => ({ ...poisoned, uid: `d-${i}` }));
    expect(await send(-100, ...many)).toMatchObject({ ok: true });
    expect(api.sent).toHaveLength(1);
    expect(api.sent[0]?.text).toContain('100 alerts: 100 HIGH');
  });

  it('is given the time that it asks for', async () => {
    api.fail(-100, {
      error_code: 429,
      description: 'Too Many Requests: retry after 17',
      parameters: { retry_after: 17 },
    });
    const outcome = await send(-100, message('d-1'));
    expect(outcome).toMatchObject({ ok: false, status: 429, retryAfterMs: 17_000 });
    expect(outcome).not.toHaveProperty('permanent');
  });

  it.each([
    [403, 'Forbidden: bot was blocked by the user'],
    [403, 'Forbidden: bot was kicked from the group chat'],
    [400, 'Bad Request: chat not found'],
  ])('is left alone when it says %s %s', async (error_code, description) => {
    api.fail(-100, { error_code, description });
    expect(await send(-100, message('d-1'))).toMatchObject({ ok: false, status: error_code, gone: true });
  });

  it('is followed to the new number of a group that grew', async () => {
    api.say({ id: -200, type: 'supergroup', title: 'Security' }, 'hello');
    api.fail(-100, {
      error_code: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: -200 },
    });
    expect(await send(-100, message('d-1'))).toEqual({ ok: true, status: 200 });
    expect(api.sent[0]?.chatId).toBe('-200');
  });

  it('gets plain text when it cannot read the markup', async () => {
    api.fail(-100, { error_code: 400, description: "Bad Request: can't parse entities: something new" });
    expect(await send(-100, poisoned)).toMatchObject({ ok: true });
    expect(api.sent[0]).toMatchObject({ marked: false });
  });

  it('is retried after a fault of its own, of the token or of the network, and the token is never shown', async () => {
    api.fail(-100, { error_code: 500, description: 'Internal Server Error' });
    const wrong = createBot({ url: api.url, token: new Secret('4242:wrong-secret') });
    const away = createBot({ url: 'http://127.0.0.1:1', token: new Secret('4242:wrong-secret') });
    const told = target({ messengerAChatId: '-100' });
    const outcomes = [
      await send(-100, message('d-1')),
      await createMessengerASender(wrong).send(told, [message('d-1')], never),
      await createMessengerASender(away).send(told, [message('d-1')], never),
      await send(null, message('d-1')),
    ];
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ ok: false });
      expect(outcome).not.toHaveProperty('permanent');
      expect(outcome).not.toHaveProperty('gone');
      expect(JSON.stringify(outcome)).not.toMatch(/secret/);
    }
    await Promise.all([wrong.close(), away.close()]);
  });

  it('does not exceed the time limit of the attempt', async () => {
    api.hang(true);
    const started = performance.now();
    const outcome = await createMessengerASender(bot).send(
      target({ messengerAChatId: '-100' }),
      [message('d-1')],
      AbortSignal.timeout(200),
    );
    api.hang(false);
    expect(outcome).toMatchObject({ ok: false });
    expect(performance.now() - started).toBeLessThan(8000);
  });
});

describe('the second messenger', () => {
  let chat: ChatWebhook;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  const sender = createRequestSender({ egress: toEgress(loopback), now: Date.now });
  const send = (...messages: Message[]) =>
    sender.send(target({ type: 'MESSENGER_B', value: chat.url, messengerBUri: chat.url }), messages, never);

  beforeAll(async () => {
    chat = await startChatWebhook();
  });
  afterAll(async () => {
    await sender.close();
    await chat.stop();
  });

  it('gets blocks that it accepts, also of hostile names and of a hundred alerts', async () => {
    expect(await send(message('d-1'))).toEqual({ ok: true, status: 200 });
    expect(await send(poisoned)).toEqual({ ok: true, status: 200 });
    expect(await send(...Array.from({ length: 100 }, () => poisoned))).toEqual({ ok: true, status: 200 });
    expect(chat.posts[0]?.text).toBe('🟠 [HIGH] Large transfer');
    expect(chat.posts[1]?.text).not.toMatch(/[<>]/);
    expect(chat.posts).toHaveLength(3);
  });

  it('is shown in a preview without the secret of its address', () => {
    const shown = sender.render(target({ type: 'MESSENGER_B', messengerBUri: chat.url }), [message('d-1')]);
    expect(shown).toMatchObject({ type: 'MESSENGER_B', body: expect.stringContaining('"header"') });
    expect(JSON.stringify(shown)).not.toContain('secretpath');
  });

  it.each([
    [
      { status: 429, headers: { 'retry-after': '30' } },
      { status: 429, retryAfterMs: 30_000 },
    ],
    [{ status: 503 }, { status: 503 }],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, { status: 302 }],
    [
      { status: 400, text: 'invalid_blocks' },
      { status: 400, permanent: true },
    ],
    [
      { status: 404, text: 'no_service' },
      { status: 404, gone: true, permanent: true },
    ],
    [
      { status: 410, text: 'channel_is_archived' },
      { status: 410, gone: true, permanent: true },
    ],
  ])('means what it answers: %j', async (answer, outcome) => {
    chat.answer(answer);
    const { error: _error, ...got } = { error: '', ...(await send(message('d-1'))) };
    expect(got).toEqual({ ok: false, ...outcome });
  });

  it('is never reached through an address of a private network', async () => {
    const guarded = createRequestSender({ egress: toEgress(new BlockList()), now: Date.now });
    const before = chat.requests();
    const port = new URL(chat.url).port;
    for (const uri of [
      chat.url,
      `http://localhost:${port}/`,
      `http://0x7f000001:${port}/`,
      `http://[::1]:${port}/`,
    ]) {
      const outcome = await guarded.send(
        target({ type: 'MESSENGER_B', messengerBUri: uri }),
        [message('d-1')],
        never,
      );
      expect(outcome, uri).toMatchObject({ ok: false });
    }
    expect(chat.requests()).toBe(before);
    await guarded.close();
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { sql } from '../../src/lib/sql.ts';
import { createBot } from '../../src/notify/createBot.ts';
import { startMessengerABinding } from '../../src/notify/startMessengerABinding.ts';
import { disableDestination } from '../../src/store/destinations/destinationHealth.ts';
import { type BotApi, startBotApi } from '../../testing/startBotApi.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';

type Chat = Parameters<BotApi['say']>[0];

let api: TestApi;
let tenantId: number;
let chats: BotApi;
let chatNumber = -1000;
const stops: (() => Promise<void>)[] = [];
const log: string[] = [];

beforeAll(async () => {
  api = await startTestApi();
  tenantId = (await api.ok('POST', 'tenant', { name: 'Acme & <Sons>' })).id;
});
afterAll(() => api.stop());
beforeEach(async () => {
  chats = await startBotApi();
  // The messenger of each test counts from its beginning.
  await api.store.query(sql`delete from messenger_offset`);
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await chats.stop();
});

/** A process that reads the bot's messages. */
function startReader() {
  const bot = createBot({ url: chats.url, token: new Secret(chats.token) });
  const reader = startMessengerABinding({
    store: api.store,
    keys: api.services.keyring.audit,
    bot,
    now: api.services.now,
    log: pino({}, { write: (line: string) => void log.push(line) }),
  });
  const stop = async () => {
    await reader.stop();
    await bot.close();
  };
  stops.push(stop);
  return { stop };
}

async function createDestination(): Promise<Json> {
  return api.ok('POST', 'destination', { tenantId, type: 'MESSENGER_A' });
}

const read = async (id: number): Promise<Json> => api.ok('GET', `destination/${id}`);

function newChat(over: Partial<Chat> = {}): Chat {
  chatNumber -= 1;
  return { id: chatNumber, type: 'group', title: 'Security', ...over };
}

/** Says something and waits for the answer. */
async function ask(chat: Chat, text: string, from?: Parameters<BotApi['say']>[2]): Promise<string> {
  const before = chats.sent.length;
  chats.say(chat, text, from);
  await vi.waitFor(() => expect(chats.sent.length).toBeGreaterThan(before), { timeout: 60_000 });
  const { chatId, text: answer } = chats.sent.at(-1)!;
  expect(chatId).toBe(String(chat.id));
  return answer;
}

/** Says something that gets no answer. */
async function mention(chat: Chat, text: string): Promise<void> {
  const before = chats.sent.length;
  chats.say(chat, text);
  await vi.waitFor(() => expect(chats.waiting()).toBe(0), { timeout: 60_000 });
  expect(chats.sent.length).toBe(before);
}

const unbound = {
  messengerABotUsername: null,
  messengerAUserId: null,
  messengerAUsername: null,
  messengerAChatId: null,
  messengerAChatTitle: null,
  messengerAChatType: null,
};

describe('binding a chat', () => {
  it('fills the members of the destination and says so in the chat', async () => {
    startReader();
    const { id, uid } = await createDestination();
    const chat = newChat();
    expect(await ask(chat, uid)).toContain('Acme & <Sons>');
    expect(await read(id)).toMatchObject({
      messengerABotUsername: 'vigil_bot',
      messengerAUserId: '7',
      messengerAUsername: 'alice',
      messengerAChatId: String(chat.id),
      messengerAChatTitle: 'Security',
      messengerAChatType: 'group',
    });
    const { data } = await api.ok('GET', `audit?tenantId=${tenantId}&kind=destination&recordId=${id}`);
    expect(data[0]).toMatchObject({ action: 'destination.bind', actor: { tokenKind: 'MESSENGER_A' } });
  });

  it('works in private chats, in channels, with the name of the bot and through a link', async () => {
    startReader();
    const made = [await createDestination(), await createDestination(), await createDestination()];
    const codes = made.map(({ uid }) => uid.slice('/bind '.length));
    const own = newChat({ type: 'private', first_name: 'Bob' });
    const { title: _title, ...privateChat } = own;
    await ask(privateChat, `/start ${codes[0]}`, { id: 8, first_name: 'Bob' });
    await ask(newChat({ type: 'channel' }), `/bind ${codes[1]}`, null);
    await ask(newChat(), `/BIND@Vigil_Bot  ${codes[2]} `);
    const [a, b, c] = await Promise.all(made.map(({ id }) => read(id)));
    expect(a).toMatchObject({
      messengerAChatType: 'private',
      messengerAChatTitle: 'Bob',
      messengerAUsername: 'Bob',
    });
    expect(b).toMatchObject({ messengerAChatType: 'channel', messengerAUserId: null });
    expect(c).toMatchObject({ messengerAChatType: 'group' });
  });

  it('refuses wrong codes clearly, and guesses after the fifth', async () => {
    startReader();
    const { id, uid } = await createDestination();
    const chat = newChat();
    const mallory = { id: 666, username: 'mallory' };
    for (const code of [
      'x',
      `${uid.slice(6)}x`,
      uid.slice(6, -1),
      `${uid.slice(6).toLowerCase()}_`,
      "'; drop--",
    ]) {
      expect(await ask(chat, `/bind ${code}`.replace('; ', ';'), mallory)).toContain('not known');
    }
    expect(await ask(chat, uid, mallory)).toContain('Too many attempts');
    expect(await read(id)).toMatchObject(unbound);
    api.advance(61_000);
    expect(await ask(chat, uid, mallory)).toContain('Bound');
  });

  it('accepts a code once: the same chat is informed that it is bound, another is refused', async () => {
    startReader();
    const { id, uid } = await createDestination();
    const [chat, other] = [newChat(), newChat()];
    await ask(chat, uid);
    expect(await ask(chat, uid)).toContain('already');
    expect(await ask(other, uid, { id: 9, username: 'eve' })).toContain('another chat');
    expect(await read(id)).toMatchObject({ messengerAChatId: String(chat.id) });
  });

  it('ends with /unbind in that chat, and the code that was seen there is no longer valid', async () => {
    startReader();
    const { id, uid } = await createDestination();
    const [chat, other] = [newChat(), newChat()];
    await ask(chat, uid);
    expect(await ask(other, '/unbind')).toContain('Nothing is bound');
    expect(await ask(chat, '/unbind')).toContain('Unbound');
    const after = await read(id);
    expect(after).toMatchObject(unbound);
    expect(after.uid).toMatch(/^\/bind \S{12}$/);
    expect(after.uid).not.toBe(uid);
    expect(await ask(other, uid, { id: 10 })).toContain('not known');
    expect(await ask(other, after.uid, { id: 11 })).toContain('Bound');
  });

  it('knows no code of a destination that was deleted', async () => {
    startReader();
    const { id, uid } = await createDestination();
    await api.ok('DELETE', `destination/${id}`);
    expect(await ask(newChat(), uid, { id: 12 })).toContain('not known');
  });

  it('helps, and keeps silent about everything else', async () => {
    startReader();
    const chat = newChat();
    expect(await ask(chat, '/start')).toContain('/bind <code>');
    expect(await ask(chat, '/help')).toContain('/unbind');
    expect(await ask(chat, '/bind')).toContain('missing');
    await mention(chat, 'what is /bind?');
    await mention(chat, '/bind@another_bot abc');
    chats.push({ message: { chat: 'broken', text: '/help' } });
    chats.push({ poll: { id: 1 } });
    await mention(chat, '/unknown');
  });

  it('keeps no character of a chat that could deceive', async () => {
    startReader();
    const { id, uid } = await createDestination();
    await ask(newChat({ title: 'Sec\u202Eurity\r\n\u0000x' }), uid, {
      id: 13,
      username: '\u200Bal\u0007ice',
    });
    expect(await read(id)).toMatchObject({ messengerAChatTitle: 'Security x', messengerAUsername: 'alice' });
  });

  it('follows a group that gets a new number', async () => {
    startReader();
    const { id, uid } = await createDestination();
    const chat = newChat();
    await ask(chat, uid, { id: 14 });
    chats.push({ message: { chat, migrate_to_chat_id: -999_111 } });
    await vi.waitFor(async () => expect(await read(id)).toMatchObject({ messengerAChatId: '-999111' }));
  });

  it('enables a destination that Vigil disabled because the chat was deleted, but not one that the tenant disabled', async () => {
    startReader();
    const [gone, disabled] = [await createDestination(), await createDestination()];
    await api.store.query(
      sql`update destination set status = 'DISABLED', disabled_reason = 'blocked' where id = ${gone.id}`,
    );
    await api.store.query(sql`update destination set status = 'DISABLED' where id = ${disabled.id}`);
    await ask(newChat(), gone.uid, { id: 15 });
    await ask(newChat(), disabled.uid, { id: 15 });
    const rows = await api.store.query<{ status: string }>(
      sql`select status from destination where id = any(${[gone.id, disabled.id]}) order by id`,
    );
    expect(rows.map(({ status }) => status)).toEqual(['ACTIVE', 'DISABLED']);
  });
});

describe('a destination that was disabled because its chat could not be reached', () => {
  it.each(['the same chat', 'another'])(
    'is bound again in %s, but not by the code seen before',
    async (where) => {
      startReader();
      const { id, uid: seen } = await createDestination();
      const chat = newChat();
      await ask(chat, seen, { id: 30 });
      const now = api.services.now();
      await api.store.transaction((tx) => disableDestination(tx, { tenantId, id }, 'Blocked.', now));
      const next = where === 'another' ? newChat() : chat;
      expect(await ask(next, seen, { id: 31 })).toContain('not known');
      const { uid } = await read(id);
      expect(await ask(next, uid, { id: 32 })).toContain('Bound');
      expect(await read(id)).toMatchObject({ messengerAChatId: String(next.id) });
      expect((await api.ok('GET', `destination/${id}/delivery?size=0`)).status).toBe('ACTIVE');
      expect(await ask(newChat(), uid, { id: 33 })).toContain('another chat');
    },
  );
});

describe('reading the messages of the bot', () => {
  it('is done by one of two processes, and taken over when it stops', async () => {
    const first = startReader();
    const { uid } = await createDestination();
    await ask(newChat(), uid, { id: 20 });
    startReader();
    // The second asks every two seconds whether the first is gone.
    await sleep(2200);
    expect(chats.conflicts()).toBe(0);
    await first.stop();
    stops.shift();
    const next = await createDestination();
    chats.say(newChat(), next.uid, { id: 20 });
    await vi.waitFor(async () => expect(await read(next.id)).not.toMatchObject(unbound), { timeout: 60_000 });
  });

  it('reads messages of a downtime once, and nothing a second time', async () => {
    const { id, uid } = await createDestination();
    const chat = newChat();
    chats.say(chat, uid, { id: 21 });
    const { stop } = startReader();
    await vi.waitFor(async () => expect(await read(id)).toMatchObject({ messengerAChatId: String(chat.id) }));
    await stop();
    stops.shift();
    // The messenger was not told yet that the message was read, and tells it again.
    const count = chats.sent.length;
    startReader();
    await mention(chat, 'noise');
    expect(chats.sent.length).toBe(count);
  });

  it('continues when the messenger restarts its update ids after a week of silence', async () => {
    await api.store.query(sql`insert into messenger_offset (bot, next_update, updated_at)
      values ('4242', 900000000, ${api.services.now() - 8 * 86_400_000})`);
    startReader();
    expect(await ask(newChat(), '/help')).toContain('/bind');
  });

  it('survives an answer that cannot be sent, and never logs its token', async () => {
    startReader();
    const { id, uid } = await createDestination();
    const chat = newChat();
    chats.fail(chat.id, { error_code: 403, description: 'Forbidden: bot was kicked' });
    chats.say(chat, uid, { id: 22 });
    await vi.waitFor(async () => expect(await read(id)).toMatchObject({ messengerAChatId: String(chat.id) }));
    expect(await ask(newChat(), '/help', { id: 22 })).toContain('/bind');
    expect(log.join()).not.toContain('AAE-secret');
  });
});

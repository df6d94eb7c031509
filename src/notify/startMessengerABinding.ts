import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AuditKeys } from '../lib/auditKey.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { isRecord } from '../lib/isRecord.ts';
import { messageOf } from '../lib/messageOf.ts';
import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { Store } from '../store/db/db.ts';
import { moveChat } from '../store/destinations/messengerBinding.ts';
import { advanceMessenger, leaseMessenger, releaseMessenger } from '../store/destinations/messengerOffset.ts';
import type { Bot, BotResponse } from './createBot.ts';
import { createCommandHandler } from './createCommandHandler.ts';
import { readUpdates, type Update } from './readUpdates.ts';

/** Longer than a poll with its response; after a crash, another process takes over when it ends. */
const pollLeaseMs = 45_000;
const pollSeconds = 20;

type Options = {
  store: Store;
  /** Of the audit log. */
  keys: AuditKeys;
  bot: Bot;
  now: () => number;
  log: Logger;
};

/** Reads the messages to the bot and binds destinations to chats. One process reads at a time. */
export function startMessengerABinding({ store, keys, bot, now, log }: Options): Stoppable {
  const holder = randomUUID();
  const stopping = new AbortController();
  const handle = createCommandHandler(keys, now);
  let botUsername: string | undefined;
  let lastFault: string | undefined;

  async function run(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const next = await leaseMessenger(store, bot.id, holder, pollLeaseMs, now());
        if (next === undefined) await pause(2000);
        else await poll(next);
        failures = 0;
        lastFault = undefined;
      } catch (error) {
        failures += 1;
        const retryAfterMs = error instanceof BotFault ? error.retryAfterMs : undefined;
        reportFault(error);
        await pause(retryAfterMs ?? Math.min(60_000, 500 * 2 ** failures));
      }
    }
  }

  async function poll(next: number): Promise<void> {
    botUsername ??= await readBotUsername();
    const params = { offset: next, timeout: pollSeconds, allowed_updates: ['message', 'channel_post'] };
    const result = await callOrThrow('getUpdates', params, (pollSeconds + 10) * 1000);
    for (const update of readUpdates(result)) await handleUpdate(update, botUsername);
  }

  /** The effect and the new offset are one transaction; a lost reply can be requested again. */
  async function handleUpdate(update: Update, username: string): Promise<void> {
    const reply = await store.transaction(async (tx) => {
      const at = { bot: bot.id, holder, leaseMs: pollLeaseMs, now: now() };
      if (!(await advanceMessenger(tx, at, update.id))) return undefined;
      if (update.movedTo) await moveChat(tx, update.chat.id, update.movedTo, now());
      return handle(tx, update, username);
    });
    if (reply === undefined) return;
    const response = await call('sendMessage', { chat_id: update.chat.id, text: reply }, 10_000);
    if (!response.ok) log.warn({ reason: response.error }, 'Failed to reply to a chat');
  }

  async function readBotUsername(): Promise<string> {
    const me = await callOrThrow('getMe', {}, 10_000);
    if (!isRecord(me) || typeof me.username !== 'string')
      throw new Error('The messenger returned no username of its bot.');
    return me.username;
  }

  async function callOrThrow(
    method: string,
    params: Record<string, unknown>,
    timeoutMs: number,
  ): Promise<unknown> {
    const answer = await call(method, params, timeoutMs);
    if (!answer.ok) throw new BotFault(answer.error, answer.retryAfterMs);
    return answer.result;
  }

  function call(method: string, params: Record<string, unknown>, timeoutMs: number): Promise<BotResponse> {
    return withTimeLimit(stopping.signal, timeoutMs, (signal) => bot.call(method, params, signal));
  }

  /** Reports a lasting fault once. */
  function reportFault(error: unknown): void {
    const text = messageOf(error);
    if (stopping.signal.aborted || text === lastFault) return;
    lastFault = text;
    log.warn({ err: error }, 'Failed to read the messages to the bot; will retry');
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      await releaseMessenger(store, bot.id, holder).catch((error: unknown) =>
        log.warn(
          { err: error },
          'Failed to release the lease of the bot; another process takes over when it ends',
        ),
      );
    },
  };
}

class BotFault extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs: number | undefined) {
    super(message);
    this.name = 'BotFault';
    this.retryAfterMs = retryAfterMs;
  }
}

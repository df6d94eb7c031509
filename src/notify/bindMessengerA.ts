import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AuditKeys } from '../lib/auditKey.ts';
import { messageOf } from '../lib/messageOf.ts';
import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { Store } from '../store/db.ts';
import { moveChat } from '../store/destinations/messengerBinding.ts';
import { advanceMessenger, holdMessenger, releaseMessenger } from '../store/destinations/messengerOffset.ts';
import type { Bot, BotAnswer } from './messengerABot.ts';
import { createCommandHandler } from './messengerACommands.ts';
import { readUpdates, type Update } from './messengerAUpdates.ts';
import { isRecord } from './texts/readData.ts';

/** Longer than a poll and its answer may take; who has died is replaced after that. */
const leaseMs = 45_000;
const pollSeconds = 20;

type Options = {
  store: Store /** Of the audit log. */;
  keys: AuditKeys;
  bot: Bot;
  now: () => number;
  log: Logger;
};

/** Reads what people write to the bot and binds destinations to chats. Of many processes one reads at a time. */
export function startMessengerABinding({ store, keys, bot, now, log }: Options): { stop(): Promise<void> } {
  const holder = randomUUID();
  const ending = new AbortController();
  const handle = createCommandHandler(keys, now);
  let botUsername: string | undefined;
  let lastFault: string | undefined;

  async function run(): Promise<void> {
    for (let failures = 0; !ending.signal.aborted; ) {
      try {
        const next = await holdMessenger(store, bot.id, holder, leaseMs, now());
        if (next === undefined) await pause(2000);
        else await poll(next);
        failures = 0;
        lastFault = undefined;
      } catch (error) {
        failures += 1;
        const asked = error instanceof BotFault ? error.retryAfterMs : undefined;
        noteFault(error);
        await pause(asked ?? Math.min(60_000, 500 * 2 ** failures));
      }
    }
  }

  async function poll(next: number): Promise<void> {
    botUsername ??= await readBotUsername();
    const params = { offset: next, timeout: pollSeconds, allowed_updates: ['message', 'channel_post'] };
    const result = await ask('getUpdates', params, (pollSeconds + 10) * 1000);
    for (const update of readUpdates(result)) await follow(update, botUsername);
  }

  /** The effect and the note that the message was read are one; an answer that gets lost can be asked for again. */
  async function follow(update: Update, username: string): Promise<void> {
    const reply = await store.transaction(async (tx) => {
      const at = { bot: bot.id, holder, leaseMs, now: now() };
      if (!(await advanceMessenger(tx, at, update.id))) return undefined;
      if (update.movedTo) await moveChat(tx, update.chat.id, update.movedTo, now());
      return handle(tx, update, username);
    });
    if (reply === undefined) return;
    const answer = await call('sendMessage', { chat_id: update.chat.id, text: reply }, 10_000);
    if (!answer.ok) log.warn({ reason: answer.error }, 'An answer to a chat was not sent');
  }

  async function readBotUsername(): Promise<string> {
    const me = await ask('getMe', {}, 10_000);
    if (!isRecord(me) || typeof me.username !== 'string')
      throw new Error('The messenger did not say what its bot is called.');
    return me.username;
  }

  async function ask(method: string, params: Record<string, unknown>, timeoutMs: number): Promise<unknown> {
    const answer = await call(method, params, timeoutMs);
    if (!answer.ok) throw new BotFault(answer.error, answer.retryAfterMs);
    return answer.result;
  }

  function call(method: string, params: Record<string, unknown>, timeoutMs: number): Promise<BotAnswer> {
    return withTimeLimit(ending.signal, timeoutMs, (signal) => bot.call(method, params, signal));
  }

  /** A fault that lasts is told once. */
  function noteFault(error: unknown): void {
    const text = messageOf(error);
    if (ending.signal.aborted || text === lastFault) return;
    lastFault = text;
    log.warn({ err: error }, 'The messages to the bot were not read; they are read again soon');
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: ending.signal }).catch(() => undefined);
  }

  const running = run();
  return {
    async stop() {
      ending.abort();
      await running;
      await releaseMessenger(store, bot.id, holder).catch((error: unknown) =>
        log.warn({ err: error }, 'The reading of the bot was not handed over; another process waits for it'),
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

import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { Message, SendOutcome } from '../model/notification.ts';
import type { Bot, BotResponse } from './createBot.ts';
import type { Sender } from './createNotifier.ts';
import { cleanText } from './texts/clean.ts';
import { digestStory } from './texts/digestStory.ts';
import { toMessengerAText } from './texts/toMessengerAText.ts';
import { toPlainText } from './texts/toPlainText.ts';

const timeLimitMs = 15_000;

/** Sends messages to the chat that the destination is bound to; several become one. */
export function createMessengerASender(bot: Bot): Sender {
  return {
    async send({ messengerAChatId }, messages, signal) {
      if (!messengerAChatId) {
        return { ok: false, error: 'The destination is not bound to a chat yet: send its `uid` to the bot.' };
      }
      return withTimeLimit(signal, timeLimitMs, async (within) =>
        toOutcome(await sendToChat(bot, messengerAChatId, messages, within)),
      );
    },
    render: ({ messengerAChatId }, messages) => ({
      type: 'MESSENGER_A',
      chatId: messengerAChatId,
      text: toMessengerAText(digestStory(messages)),
    }),
    // The bot is shared; its creator closes it.
    close: async () => {},
  };
}

async function sendToChat(
  bot: Bot,
  chatId: string,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<BotResponse> {
  const story = digestStory(messages);
  const send = (chat: string, text: Record<string, unknown>) =>
    bot.call('sendMessage', { chat_id: chat, ...text, link_preview_options: { is_disabled: true } }, signal);
  const marked = { text: toMessengerAText(story), parse_mode: 'HTML' };
  const response = await send(chatId, marked);
  if (response.ok) return response;
  // The group became a supergroup; the loop that reads messages updates the record.
  if (response.migratedTo) return send(response.migratedTo, marked);
  // A message without markup is better than none.
  if (response.status === 400 && /parse entities/i.test(response.error))
    return send(chatId, { text: cleanText(toPlainText(story), 4000) });
  return response;
}

function toOutcome(response: BotResponse): SendOutcome {
  if (response.ok) return { ok: true, status: 200 };
  const { status, error, retryAfterMs } = response;
  const failed = {
    ok: false,
    error,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  } as const;
  if (status === 403 || (status === 400 && goneChat.test(error)))
    return { ...failed, gone: true, permanent: true };
  return status === 400 ? { ...failed, permanent: true } : failed;
}

const goneChat = /chat not found|group chat was (deleted|deactivated)|user is deactivated/i;

import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { SendOutcome } from '../model/notification.ts';
import type { Bot, BotAnswer } from './messengerABot.ts';
import type { Message, Sender } from './sender.ts';
import { cleanText } from './texts/clean.ts';
import { digestStory } from './texts/digestStory.ts';
import { toMessengerAText } from './texts/toMessengerAText.ts';
import { toPlainText } from './texts/toPlainText.ts';

const timeLimitMs = 15_000;

/** Tells what happened in the chat that the destination is bound to; many messages become one. */
export function createMessengerASender(bot: Bot): Sender {
  return {
    async send({ messengerAChatId }, messages, signal) {
      if (!messengerAChatId) {
        return { ok: false, error: 'The destination is not bound to a chat yet: send its `uid` to the bot.' };
      }
      return withTimeLimit(signal, timeLimitMs, async (within) =>
        toOutcome(await tell(bot, messengerAChatId, messages, within)),
      );
    },
    render: ({ messengerAChatId }, messages) => ({
      type: 'MESSENGER_A',
      chatId: messengerAChatId,
      text: toMessengerAText(digestStory(messages)),
    }),
    // The bot is shared; whoever made it closes it.
    close: async () => {},
  };
}

async function tell(
  bot: Bot,
  chatId: string,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<BotAnswer> {
  const story = digestStory(messages);
  const send = (chat: string, text: Record<string, unknown>) =>
    bot.call('sendMessage', { chat_id: chat, ...text, link_preview_options: { is_disabled: true } }, signal);
  const marked = { text: toMessengerAText(story), parse_mode: 'HTML' };
  const answer = await send(chatId, marked);
  if (answer.ok) return answer;
  // The group became a bigger one; the loop that reads messages corrects the record.
  if (answer.migratedTo) return send(answer.migratedTo, marked);
  // Rather without markup than not at all.
  if (answer.status === 400 && /parse entities/i.test(answer.error))
    return send(chatId, { text: cleanText(toPlainText(story), 4000) });
  return answer;
}

function toOutcome(answer: BotAnswer): SendOutcome {
  if (answer.ok) return { ok: true, status: 200 };
  const { status, error, retryAfterMs } = answer;
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

import { cleanText } from '../destinations/texts/clean.ts';
import { digestStory, incidentOf } from '../destinations/texts/digestStory.ts';
import type { Story } from '../destinations/texts/story.ts';
import { toMessengerAText } from '../destinations/texts/toMessengerAText.ts';
import { toPlainText } from '../destinations/texts/toPlainText.ts';
import { isRecord } from '../lib/isRecord.ts';
import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { EarlierMessage, SendOutcome } from '../model/notification.ts';
import type { Bot, BotResponse } from './createBot.ts';
import type { Sender } from './createNotifier.ts';

const timeLimitMs = 15_000;

/** Sends messages to the chat that the destination is bound to; several become one, and one about an incident grows with it. */
export function createMessengerASender(bot: Bot): Sender {
  return {
    async send({ messengerAChatId }, messages, signal, earlier) {
      if (!messengerAChatId) {
        return { ok: false, error: 'The destination is not bound to a chat yet: send its `uid` to the bot.' };
      }
      return withTimeLimit(signal, timeLimitMs, async (within) => {
        const chat = { bot, chatId: messengerAChatId, signal: within };
        const edited = await edit(chat, earlier);
        if (edited) return edited;
        const response = await sendToChat(chat, digestStory(messages), messageIn(messengerAChatId, earlier));
        return toOutcome(response, incidentOf(messages) && refOf(response));
      });
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

type Chat = { bot: Bot; chatId: string; signal: AbortSignal };

/** Lets the earlier message say everything; undefined when there is none that can be edited, so that a new one is needed. */
async function edit(chat: Chat, earlier: EarlierMessage | undefined): Promise<SendOutcome | undefined> {
  const messageId = messageIn(chat.chatId, earlier);
  if (!earlier?.grown || messageId === undefined) return undefined;
  const story = digestStory(earlier.grown.messages, earlier.grown.total);
  const response = await call(chat, 'editMessageText', { message_id: messageId }, story);
  const { ref } = earlier;
  if (response.ok) return toOutcome(response, ref);
  // An attempt whose result was lost has edited it already.
  if (response.status === 400 && /message is not modified/i.test(response.error))
    return { ok: true, status: 200, ref };
  return response.status === 400 && !goneChat.test(response.error) ? undefined : toOutcome(response);
}

async function sendToChat(chat: Chat, story: Story, replyTo: number | undefined): Promise<BotResponse> {
  const reply =
    replyTo === undefined
      ? {}
      : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } };
  const response = await call(chat, 'sendMessage', reply, story);
  // The group became a supergroup; the loop that reads messages updates the record.
  return !response.ok && response.migratedTo
    ? call({ ...chat, chatId: response.migratedTo }, 'sendMessage', {}, story)
    : response;
}

async function call(
  { bot, chatId, signal }: Chat,
  method: string,
  params: Record<string, unknown>,
  story: Story,
): Promise<BotResponse> {
  const common = { chat_id: chatId, ...params, link_preview_options: { is_disabled: true } };
  const marked = { ...common, text: toMessengerAText(story), parse_mode: 'HTML' };
  const keyboard = toKeyboard(story);
  const buttoned = keyboard
    ? { ...marked, text: toMessengerAText(withoutActs(story)), reply_markup: keyboard }
    : marked;
  const first = await bot.call(method, buttoned, signal);
  // The messenger refuses buttons whose address it does not like, such as one in a private network.
  const isRefused =
    keyboard !== undefined && !first.ok && first.status === 400 && /button|keyboard|url/i.test(first.error);
  const response = isRefused ? await bot.call(method, marked, signal) : first;
  // A message without markup is better than none.
  return !response.ok && response.status === 400 && /parse entities/i.test(response.error)
    ? bot.call(method, { ...common, text: cleanText(toPlainText(story), 4000) }, signal)
    : response;
}

/** Buttons that open the pages on which the reader acts, two in a row. */
function toKeyboard({ links }: Story) {
  const buttons = links.flatMap(({ label, url, isAct }) => (isAct ? [{ text: label, url }] : []));
  if (buttons.length === 0) return undefined;
  const rows = Array.from({ length: Math.ceil(buttons.length / 2) }, (_, row) =>
    buttons.slice(row * 2, row * 2 + 2),
  );
  return { inline_keyboard: rows };
}

function withoutActs(story: Story): Story {
  return { ...story, links: story.links.filter(({ isAct }) => !isAct) };
}

/** The chat and the number of a message in it; the messenger numbers those of each chat. */
function refOf(response: BotResponse): string | undefined {
  if (!response.ok || !isRecord(response.result)) return undefined;
  const { message_id: id, chat } = response.result;
  return typeof id === 'number' && isRecord(chat) ? `${String(chat.id)} ${id}` : undefined;
}

/** The number of the earlier message, if it stands in this chat. */
function messageIn(chatId: string, earlier: EarlierMessage | undefined): number | undefined {
  const [chat, id] = earlier?.ref.split(' ') ?? [];
  return chat === chatId ? Number(id) : undefined;
}

function toOutcome(response: BotResponse, ref?: string): SendOutcome {
  if (response.ok) return { ok: true, status: 200, ...(ref ? { ref } : {}) };
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

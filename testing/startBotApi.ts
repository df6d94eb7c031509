import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './startTestApi.ts';

type Person = { id: number; username?: string; first_name?: string };
type Chat = { id: number; type: string; title?: string; first_name?: string };
type Failure = { error_code: number; description: string; parameters?: Json };

export type BotApi = {
  url: string;
  token: string;
  /** What was sent to chats, and was taken. */
  sent: { chatId: string; text: string; marked: boolean }[];
  /** What messages became, in the order of the edits; `id` counts what was sent, from 1. */
  edited: { id: number; text: string }[];
  /** These can no longer be edited. */
  age(): void;
  /** A user writes in a chat. */
  say(chat: Chat, text: string, from?: Person | null): void;
  push(update: Json): void;
  /** The next messages to a chat fail like this, in turn. */
  fail(chatId: number, ...failures: Failure[]): void;
  /** Updates that are not confirmed. */
  waiting(): number;
  /** Polls that were refused because another one was open. */
  conflicts(): number;
  hang(isHanging: boolean): void;
  stop(): Promise<void>;
};

const bot = { id: 4242, is_bot: true, first_name: 'Vigil', username: 'vigil_bot' };
const unauthorized = { error_code: 401, description: 'Unauthorized' };

/** The messenger's bot protocol as it is documented: methods by POST, long polling, offsets that confirm. */
export async function startBotApi(): Promise<BotApi> {
  const token = '4242:AAE-secret-of-the-bot';
  const sent: BotApi['sent'] = [];
  const edited: BotApi['edited'] = [];
  let editableFrom = 1;
  const known = new Set<string>();
  const failures = new Map<string, Failure[]>();
  let updates: Json[] = [];
  let nextUpdate = 1000;
  let wake = () => {};
  let polls = 0;
  let conflicts = 0;
  let isHanging = false;

  async function getUpdates({ offset = 0, timeout = 0, limit = 100 }: Json, request: IncomingMessage) {
    if (polls > 0) {
      conflicts += 1;
      return failed({ error_code: 409, description: 'Conflict: terminated by other getUpdates request' });
    }
    polls += 1;
    try {
      // Whatever lies below the offset is confirmed, and forgotten.
      updates = updates.filter(({ update_id }) => update_id >= offset);
      if (updates.length === 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeout * 1000);
          request.socket.once('close', () => resolve());
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return { ok: true, result: updates.slice(0, limit) };
    } finally {
      polls -= 1;
    }
  }

  function sendMessage({ chat_id, text, parse_mode }: Json) {
    const shown = readText({ chat_id, text, parse_mode });
    if (typeof shown !== 'string') return shown;
    sent.push({ chatId: String(chat_id), text: shown, marked: parse_mode === 'HTML' });
    return { ok: true, result: { message_id: sent.length, chat: { id: chat_id }, text: shown } };
  }

  function editMessageText({ chat_id, message_id, text, parse_mode }: Json) {
    const shown = readText({ chat_id, text, parse_mode });
    if (typeof shown !== 'string') return shown;
    const message = sent[message_id - 1];
    const refused = (reason: string) => failed({ error_code: 400, description: `Bad Request: ${reason}` });
    if (!message || message.chatId !== String(chat_id)) return refused('message to edit not found');
    if (message_id < editableFrom) return refused("message can't be edited");
    if (message.text === shown)
      return refused(
        'message is not modified: specified new message content and reply markup are exactly the same',
      );
    message.text = shown;
    edited.push({ id: message_id, text: shown });
    return { ok: true, result: { message_id, chat: { id: chat_id }, text: shown } };
  }

  /** The text behind the markup, or why it is refused. */
  function readText({ chat_id, text, parse_mode }: Json): string | Json {
    const chatId = String(chat_id);
    const planned = failures.get(chatId)?.shift();
    if (planned) return failed(planned);
    if (!known.has(chatId)) return failed({ error_code: 400, description: 'Bad Request: chat not found' });
    const shown = parse_mode === 'HTML' ? readMarkup(text) : text;
    if (shown === undefined)
      return failed({
        error_code: 400,
        description: "Bad Request: can't parse entities: unsupported start tag",
      });
    if (shown.length === 0)
      return failed({ error_code: 400, description: 'Bad Request: message text is empty' });
    if (shown.length > 4096)
      return failed({ error_code: 400, description: 'Bad Request: message is too long' });
    return shown;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (isHanging) return;
    const [, given, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const params: Json = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    const body: Json =
      given !== token
        ? failed(unauthorized)
        : method === 'getMe'
          ? { ok: true, result: bot }
          : method === 'getUpdates'
            ? await getUpdates(params, request)
            : method === 'sendMessage'
              ? sendMessage(params)
              : method === 'editMessageText'
                ? editMessageText(params)
                : failed({ error_code: 404, description: 'Not Found' });
    response.writeHead(body.ok ? 200 : body.error_code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  function push(update: Json): void {
    updates.push({ update_id: nextUpdate++, ...update });
    wake();
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    sent,
    edited,
    age: () => {
      editableFrom = sent.length + 1;
    },
    push,
    say(chat, text, from = { id: 7, username: 'alice' }) {
      known.add(String(chat.id));
      const message = { message_id: nextUpdate, chat, text, ...(from ? { from } : {}) };
      push(chat.type === 'channel' ? { channel_post: message } : { message });
    },
    fail: (chatId, ...list) => void failures.set(String(chatId), list),
    waiting: () => updates.length,
    conflicts: () => conflicts,
    hang: (value) => {
      isHanging = value;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function failed(failure: Failure): Json {
  return { ok: false, ...failure };
}

/** The text behind the markup, or undefined where the messenger would refuse it. */
function readMarkup(markup: string): string | undefined {
  const open: string[] = [];
  const bare = markup.replace(/<(\/?)(\w*)([^<>]*)>/g, (tag, close: string, name: string, rest: string) => {
    const isKnown =
      /^(b|code|a)$/.test(name) && (rest === '' || (name === 'a' && /^ href="[^"]*"$/.test(rest)));
    if (!isKnown || (close && open.pop() !== name)) return tag;
    if (!close) open.push(name);
    return '';
  });
  if (open.length > 0 || /[<>]/.test(bare) || /&(?!(lt|gt|amp|quot|#\d+);)/.test(bare)) return undefined;
  const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };
  return bare.replace(/&(lt|gt|amp|quot|#\d+);/g, (_, name: string) =>
    name.startsWith('#') ? String.fromCodePoint(Number(name.slice(1))) : named[name]!,
  );
}

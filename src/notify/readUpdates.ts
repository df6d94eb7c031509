import { cleanLine } from '../destinations/texts/clean.ts';
import { isRecord } from '../lib/isRecord.ts';

/** One message or event in a chat of the bot. */
export type Update = {
  id: number;
  text: string;
  chat: { id: string; title: string | null; type: string };
  from: { id: string; name: string | null } | undefined;
  /** The chat has moved to this id. */
  movedTo?: string;
};

/** Includes updates of unknown kinds: the offset must advance past them too. */
export function readUpdates(result: unknown): Update[] {
  if (!Array.isArray(result))
    throw new Error('The messenger returned something other than a list of messages.');
  return result.filter(isRecord).flatMap((update) => {
    const id = update.update_id;
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) return [];
    const message = [update.message, update.channel_post].find(isRecord) ?? {};
    const moved = message.migrate_to_chat_id;
    return [
      {
        id,
        text: typeof message.text === 'string' ? message.text : '',
        chat: readChat(message.chat),
        from: readPerson(message.from),
        ...(typeof moved === 'number' ? { movedTo: String(moved) } : {}),
      },
    ];
  });
}

function readChat(chat: unknown): Update['chat'] {
  if (!isRecord(chat)) return { id: '', title: null, type: '' };
  const name = nameOf([chat.title]) ?? nameOf([chat.first_name, chat.last_name]) ?? nameOf([chat.username]);
  return { id: idOf(chat.id), title: name, type: nameOf([chat.type]) ?? '' };
}

function readPerson(person: unknown): Update['from'] {
  if (!isRecord(person)) return undefined;
  const name = nameOf([person.username]) ?? nameOf([person.first_name, person.last_name]);
  return { id: idOf(person.id), name };
}

function idOf(id: unknown): string {
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : '';
}

function nameOf(parts: readonly unknown[]): string | null {
  const text = parts.filter((part) => typeof part === 'string').join(' ');
  return cleanLine(text, 200) || null;
}

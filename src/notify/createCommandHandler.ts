import { timingSafeEqual } from 'node:crypto';
import { cleanLine } from '../destinations/texts/clean.ts';
import type { AuditKeys } from '../lib/auditKey.ts';
import { createTokenBucket } from '../lib/createTokenBucket.ts';
import { hashToken } from '../lib/token.ts';
import type { Db } from '../store/db/db.ts';
import {
  bindDestination,
  findBindable,
  findBound,
  unbindDestination,
} from '../store/destinations/messengerBinding.ts';
import { appendAudit } from '../store/records/audit.ts';
import type { Update } from './readUpdates.ts';

const help = [
  'I send alerts of Vigil to this chat.',
  '/bind <code> – send alerts of a destination here; the code is in its `uid`',
  '/unbind – stop sending here',
  '/help – this text',
].join('\n');

/** Executes commands to the bot; returns the reply for the chat, or undefined for none. */
export function createCommandHandler(keys: AuditKeys, now: () => number) {
  // A code has 72 random bits: five guesses and then one per minute cannot find one.
  const guesses = createTokenBucket({ perSecond: 1 / 60, burst: 5 }, now);
  const replies = createTokenBucket({ perSecond: 0.2, burst: 10 }, now);

  return async (tx: Db, update: Update, botUsername: string): Promise<string | undefined> => {
    const command = readCommand(update.text, botUsername);
    if (!command || update.chat.id === '') return undefined;
    guesses.sweep();
    replies.sweep();
    // A chat that floods the bot gets no reply.
    if (replies.take(update.chat.id).waitSeconds > 0) return undefined;
    switch (command.name) {
      case 'bind':
        return command.code ? bind(tx, update, command.code, botUsername) : `The code is missing.\n\n${help}`;
      case 'unbind':
        return unbind(tx, keys, update, now());
      case 'start':
        return command.code ? bind(tx, update, command.code, botUsername) : help;
      case 'help':
        return help;
    }
  };

  async function bind(tx: Db, update: Update, code: string, botUsername: string): Promise<string> {
    const { waitSeconds } = guesses.take(update.from?.id ?? update.chat.id);
    if (waitSeconds > 0) return `Too many attempts. Try again in ${Math.ceil(waitSeconds)} seconds.`;
    const instruction = `/bind ${code}`;
    const candidates = await findBindable(tx, instruction);
    const chat = candidates.find(({ uid }) => timingSafeEqual(hashToken(uid), hashToken(instruction)));
    if (!chat)
      return 'This code is not known. Copy the text in `uid` of the destination and send it as it is.';
    const isBound = chat.chatId !== null && !chat.isDisabled;
    if (isBound && chat.chatId === update.chat.id) return 'This chat is bound to that destination already.';
    if (isBound)
      return 'This code was used in another chat. Send /unbind there first; the destination then has a new code.';
    await bindDestination(tx, chat, chatOf(update, botUsername), now());
    await auditBinding(tx, keys, update, chat, 'bind', { before: chat.chatId, after: update.chat.id }, now());
    return `Bound. Alerts of ${cleanLine(chat.tenantName, 100)} for destination ${chat.id} arrive here from now on.`;
  }
}

async function unbind(tx: Db, keys: AuditKeys, update: Update, now: number): Promise<string> {
  const bound = await findBound(tx, update.chat.id);
  if (bound.length === 0) return 'Nothing is bound to this chat.';
  for (const destination of bound) {
    await unbindDestination(tx, destination, now);
    await auditBinding(tx, keys, update, destination, 'unbind', { before: update.chat.id, after: null }, now);
  }
  return 'Unbound. Alerts no longer arrive here.';
}

const commandNames = ['bind', 'unbind', 'start', 'help'] as const;
type Command = { name: (typeof commandNames)[number]; code: string | undefined };

/** In groups a command may name its bot. */
function readCommand(text: string, botUsername: string): Command | undefined {
  const match = /^\/(bind|unbind|start|help)(?:@(\w+))?(?:\s+(\S{1,100}))?\s*$/i.exec(text.slice(0, 300));
  if (!match) return undefined;
  const [, name = '', addressed, code] = match;
  if (addressed && addressed.toLowerCase() !== botUsername.toLowerCase()) return undefined;
  const command = commandNames.find((candidate) => candidate === name.toLowerCase());
  return command && { name: command, code };
}

function chatOf({ chat, from }: Update, botUsername: string) {
  return {
    botUsername,
    userId: from?.id ?? null,
    username: from?.name ?? null,
    chatId: chat.id,
    chatTitle: chat.title,
    chatType: chat.type,
  };
}

/** The actor has no token, so the entry names the user of the messenger. */
async function auditBinding(
  tx: Db,
  keys: AuditKeys,
  update: Update,
  record: { id: number; tenantId: number },
  verb: 'bind' | 'unbind',
  messengerAChatId: { before: string | null; after: string | null },
  now: number,
): Promise<void> {
  await appendAudit(tx, keys, {
    at: now,
    requestId: `messenger-${update.id}`,
    tenantId: record.tenantId,
    actor: { tokenId: null, tokenKind: 'MESSENGER_A', userId: null },
    action: `destination.${verb}`,
    record: { kind: 'destination', id: record.id },
    changes: { messengerAChatId, messengerAUserId: { before: null, after: update.from?.id ?? null } },
  });
}

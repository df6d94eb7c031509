import { randomBytes } from 'node:crypto';
import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { isBoundByChatType } from '../tables/kindConditions.ts';

export type Chat = {
  botUsername: string;
  userId: string | null;
  username: string | null;
  chatId: string;
  chatTitle: string | null;
  chatType: string;
};

export type Bindable = {
  id: number;
  tenantId: number;
  tenantName: string;
  uid: string;
  chatId: string | null;
  /** Vigil disabled it because no message got through to its chat. */
  isDisabled: boolean;
};

/** The command that binds a chat. */
export function createBindCommand(): string {
  return `/bind ${randomBytes(9).toString('base64url')}`;
}

/** The destinations that this command may bind: one, unless digests collide. Locked until the transaction ends. */
export async function findBindable(tx: Db, command: string): Promise<Bindable[]> {
  return tx.query<Bindable>(
    sql`select x.id, x.tenant_id as "tenantId", n.name as "tenantName", x.uid, x.messenger_a_chat_id as "chatId",
        x.disabled_reason is not null as "isDisabled"
      from destination x join tenant n on n.id = x.tenant_id and n.status = 'ACTIVE'
      where md5(x.uid) = md5(${command}) and ${isBoundByChatType()} and x.status <> 'DELETED'
      for update of x`,
  );
}

/** Enables a destination that Vigil disabled; one that the tenant disabled stays disabled. */
export async function bindDestination(tx: Db, bound: Bindable, chat: Chat, now: number): Promise<void> {
  await tx.query(
    sql`update destination set messenger_a_bot_username = ${chat.botUsername}, messenger_a_user_id = ${chat.userId},
        messenger_a_username = ${chat.username}, messenger_a_chat_id = ${chat.chatId},
        messenger_a_chat_title = ${chat.chatTitle}, messenger_a_chat_type = ${chat.chatType},
        status = case when disabled_reason is null then status else 'ACTIVE' end, disabled_reason = null,
        failing_since = null, paused_until = null, updated_at = ${now}
      where tenant_id = ${bound.tenantId} and id = ${bound.id}`,
  );
}

export async function findBound(
  tx: Db,
  chatId: string,
): Promise<{ id: number; tenantId: number; chatId: string }[]> {
  return tx.query(
    sql`select id, tenant_id as "tenantId", messenger_a_chat_id as "chatId" from destination
      where messenger_a_chat_id = ${chatId} and ${isBoundByChatType('type')} and status <> 'DELETED'
      order by id for update`,
  );
}

/** The old command has been seen in the chat, so the next binding needs a new one. */
export async function unbindDestination(
  tx: Db,
  bound: { id: number; tenantId: number },
  now: number,
): Promise<void> {
  await tx.query(
    sql`update destination set messenger_a_bot_username = null, messenger_a_user_id = null,
        messenger_a_username = null, messenger_a_chat_id = null, messenger_a_chat_title = null,
        messenger_a_chat_type = null, uid = ${createBindCommand()}, updated_at = ${now}
      where tenant_id = ${bound.tenantId} and id = ${bound.id}`,
  );
}

/** A group that became a supergroup has a new id. */
export async function moveChat(tx: Db, from: string, to: string, now: number): Promise<void> {
  await tx.query(
    sql`update destination set messenger_a_chat_id = ${to}, messenger_a_chat_type = 'supergroup', updated_at = ${now}
      where messenger_a_chat_id = ${from} and ${isBoundByChatType('type')} and status <> 'DELETED'`,
  );
}

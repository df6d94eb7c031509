import { Problem } from '../../model/errors.ts';
import { isManager } from '../../model/principal.ts';
import { insertAlertEvents } from '../../store/alerts/alertEvents.ts';
import {
  type Comment,
  countComments,
  deleteComment,
  findAuthor,
  findComments,
  insertComment,
} from '../../store/alerts/comments.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findOwnAlert, keyOf } from './changeAlert.ts';

const maxComments = 1000;
const keyNames = ['tenantId', 'contractId', 'timestamp', 'uid'];

/** Comments of the tenant's own people on an alert; tenants that it is shared with do not see them. */
export async function listComments(call: Call, uid: string): Promise<Comment[]> {
  return findComments(call.db, await findKey(call, uid, false));
}

export async function addComment(call: Call, uid: string, text: string): Promise<Comment> {
  const key = await findKey(call, uid);
  const count = await countComments(call.db, key);
  if (count >= maxComments)
    throw new Problem('conflict', `An alert has at most ${maxComments} comments; delete one first.`);
  const { userId, tokenId } = call.principal;
  const author = await findAuthor(call.db, tokenId);
  const comment = { authorId: userId, author, text, createdAt: call.now };
  const id = await insertComment(call.db, key, comment);
  await record(call, key, 'comment', { commentId: id, text });
  return { id, ...comment };
}

/** Authors delete their own comments, and managers of the tenant those of everyone. */
export async function removeComment(call: Call, uid: string, id: number): Promise<void> {
  const key = await findKey(call, uid);
  const comment = (await findComments(call.db, key)).find((candidate) => candidate.id === id);
  if (!comment) throw new Problem('not-found', 'There is no such comment.');
  const { userId } = call.principal;
  const isOwn = userId !== null && comment.authorId === userId;
  if (!isOwn && !isManager(call.principal))
    throw new Problem('forbidden', 'Only its author or a manager of the tenant may delete a comment.');
  await deleteComment(call.db, key, id);
  const { authorId, author, text } = comment;
  await record(call, key, 'uncomment', { commentId: id, authorId, author, text });
}

type Key = ReturnType<typeof keyOf>;

async function findKey(call: Call, uid: string, lock = true): Promise<Key> {
  return keyOf(await findOwnAlert(call, uid, keyNames, { use: 'its comments', lock }));
}

async function record(call: Call, key: Key, verb: string, details: Record<string, unknown>): Promise<void> {
  await insertAlertEvents(call.db, 'changed', [key]);
  const { tenantId, uid } = key;
  await audit(call, 'alert', verb, { id: null, tenantId }, undefined, undefined, { uid, ...details });
}

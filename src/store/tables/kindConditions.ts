import type { DestinationKind } from '../../destinations/destinationKind.ts';
import {
  isBoundByChat,
  isGrouped,
  isMailed,
  isSequential,
  typesWith,
} from '../../destinations/destinationKinds.ts';
import { raw, type Sql, sql } from '../../lib/sql.ts';

/** A condition on the column `type`: true for the kinds with this trait. */
function withTrait(has: (kind: DestinationKind) => boolean): (column: string) => string {
  const types = typesWith(has).map((type) => `'${type}'`);
  return (column) => (types.length > 0 ? `${column} in (${types.join(', ')})` : 'false');
}

/** Readers confirm the address before anything is sent there. */
export const isMailedText = withTrait(isMailed);
const isBoundByChatText = withTrait(isBoundByChat);
const isGroupedText = withTrait(isGrouped);
const isSequentialText = withTrait(isSequential);
const getsScoresText = withTrait(({ getsScores }) => getsScores === true);

const hasCallbackText = withTrait(({ callback }) => callback !== undefined);

export const isMailedType = (column = 'x.type'): Sql => raw(isMailedText(column));
export const isBoundByChatType = (column = 'x.type'): Sql => raw(isBoundByChatText(column));
/** Messages that are due together go out as one. */
export const isGroupedType = (column = 'x.type'): Sql => raw(isGroupedText(column));
/** Messages go one at a time. */
export const isSequentialType = (column = 'x.type'): Sql => raw(isSequentialText(column));
/** Changes of acknowledgements are sent to it. */
export const hasCallbackType = (column = 'x.type'): Sql => raw(hasCallbackText(column));
export const getsScoresType = (column = 'x.type'): Sql => raw(getsScoresText(column));

/** A condition on destinations as `x`: a messenger destination that is not bound to a chat reaches no one. */
export const isReachable = sql`x.status = 'ACTIVE'
  and (not ${isBoundByChatType()} or x.messenger_a_chat_id is not null)`;

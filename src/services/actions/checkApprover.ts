import { Problem } from '../../model/errors.ts';
import {
  deeds,
  type FoundSponsor,
  findSponsors,
  shareDevice,
  wasResetSince,
} from '../../store/accounts/sponsors.ts';
import { findTokenBirth } from '../../store/accounts/tokens.ts';
import type { StoredApproval } from '../../store/actions/approvals.ts';
import type { GuardedWallet } from '../../store/actions/guardedRecords.ts';
import type { Call } from '../call.ts';

/** For how long a browser in which two users have signed in makes them one person. */
export const deviceMs = 90 * 24 * 3_600_000;

/**
 * The approver must be a second person: a user whose account neither the requester nor a sponsor of both has a hand in.
 * Wallets that name the approver vouch for the account, not for a later password by someone else.
 */
export async function checkApprover(
  call: Call,
  { requestedBy, tenantId, createdAt }: Pick<StoredApproval, 'requestedBy' | 'tenantId' | 'createdAt'>,
  wallets: readonly Pick<GuardedWallet, 'name' | 'approvers'>[],
): Promise<void> {
  const { db, principal, now } = call;
  const { userId } = principal;
  if (userId === null)
    throw forbidden(
      'Only a user can approve, and this token belongs to none: sign in as a user of the tenant.',
    );
  if (principal.tenantId !== tenantId) throw forbidden('Only a user of the same tenant can approve.');
  if (requestedBy === null)
    throw forbidden('The request came from a token without a user, so that no one is known to be another.');
  if (userId === requestedBy)
    throw forbidden('The request must be approved by another user than the one who sent it.');
  if (await wasResetSince(db, requestedBy, createdAt))
    throw forbidden(
      'Someone else has set the password of the user who sent the request since, so that it may be a request of another: send it again.',
    );
  await checkOwnKey(call);
  const closed = wallets.find(({ approvers }) => approvers && !approvers.includes(userId));
  if (closed) throw forbidden(`The wallet ${closed.name} names its approvers, and you are none of them.`);
  const isNamed = wallets.every(({ approvers }) => approvers?.includes(userId));
  const approverKey: FoundSponsor = { id: userId, tenantId };
  const approver = [approverKey, ...(await findSponsors(db, userId, isNamed ? ['RESET'] : deeds))];
  const requester = [{ id: requestedBy, tenantId }, ...(await findSponsors(db, requestedBy, deeds))];
  if ([...approver, ...requester].some(({ id }) => id === null))
    throw forbidden(
      'One of the two accounts was made, promoted or had its password set by a key that belongs to no user, so that both may be one person.',
    );
  const both = approver.find(
    ({ id, tenantId: home }) =>
      requester.some((one) => one.id === id) && (id === userId || id === requestedBy || home !== null),
  );
  if (both)
    throw forbidden(
      `User ${both.id} has a hand in both accounts, by an invite, a password or roles, so that both may be one person: let someone else approve, or let the wallet name its approvers.`,
    );
  if (await shareDevice(db, userId, requestedBy, now - deviceMs))
    throw forbidden('Both users have signed in in the same browser, so that both may be one person.');
}

/** A key that is older than the password may have been made by someone else who could sign in as its user before. */
export async function checkOwnKey({ db, principal }: Call): Promise<void> {
  const { userId, tokenId, tokenKind } = principal;
  if (userId === null || tokenKind !== 'API_KEY') return;
  const madeAt = await findTokenBirth(db, tokenId);
  if (madeAt !== undefined && !(await wasResetSince(db, userId, madeAt))) return;
  throw forbidden(
    'Someone else has set the password of the user behind this key since the key was made, so that it may be that person who holds it: sign in, or make another key.',
  );
}

function forbidden(message: string): Problem {
  return new Problem('forbidden', message);
}

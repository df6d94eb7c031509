import { findSilenced, type SilencedAlert } from '../../store/destinations/alertDecisions.ts';
import type { Call } from '../call.ts';

/** Whom the owner of a shared alert notifies is not shown to those it is shared with. */
export async function listSilenced({ db, scope }: Call, uids: readonly string[]): Promise<SilencedAlert[]> {
  return uids.length > 0 ? findSilenced(db, scope.all ? undefined : scope.tenantIds, uids) : [];
}

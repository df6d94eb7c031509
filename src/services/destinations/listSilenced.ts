import { findSilenced, type SilencedAlert } from '../../store/destinations/alertDecisions.ts';
import type { Call } from '../call.ts';

/** Those with whom an alert is shared do not see whom its owner notifies. */
export async function listSilenced({ db, scope }: Call, uids: readonly string[]): Promise<SilencedAlert[]> {
  return uids.length > 0 ? findSilenced(db, scope.all ? undefined : scope.tenantIds, uids) : [];
}

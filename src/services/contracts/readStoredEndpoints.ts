import type { Keyring } from '../../model/keyring.ts';
import { findEndpoints, openUrl } from '../../store/contracts/chainEndpoints.ts';
import type { Db } from '../../store/db/db.ts';

/** The addresses of the stored endpoints in use, by chain. One that cannot be unsealed is reported; the others stay usable. */
export async function readStoredEndpoints(
  db: Db,
  keyring: Keyring,
  onUnreadable: (error: Error) => void,
): Promise<Map<string, string[]>> {
  const urls = new Map<string, string[]>();
  for (const endpoint of await findEndpoints(db)) {
    const { chainUid, uid, status } = endpoint;
    if (status !== 'ACTIVE') continue;
    try {
      urls.set(chainUid, [...(urls.get(chainUid) ?? []), await openUrl(keyring, endpoint)]);
    } catch (cause) {
      const message = `The endpoint ${uid} of ${chainUid} cannot be unsealed and is not used; delete it and add it again.`;
      onUnreadable(new Error(message, { cause }));
    }
  }
  return urls;
}

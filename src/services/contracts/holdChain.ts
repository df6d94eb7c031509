import { type ChainUid, isSeedUid } from '../../chains/chains.ts';
import { unprocessable } from '../../model/errors.ts';
import { holdOwnChain } from '../../store/contracts/ownChains.ts';
import type { Call } from '../call.ts';

/** Keeps the operator's own chain from being deleted while a record is put on it. */
export async function holdChain({ db }: Call, uid: ChainUid): Promise<void> {
  if (isSeedUid(uid) || (await holdOwnChain(db, uid))) return;
  throw unprocessable('/chainUid', 'unknown-reference', `The chain ${uid} was deleted.`);
}

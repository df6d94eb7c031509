import { getChain } from '../../chains/chains.ts';
import { Problem } from '../../model/errors.ts';
import { findRecord, type Row, updateRecord } from '../../store/records/records.ts';
import { archiveWalletKey, findDrainingKeys } from '../../store/wallets/walletKeys.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findWritable, shownOf } from '../records/findWritable.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { createModuleKey, createSealedKey } from './createWalletKey.ts';

/** Former keys whose addresses still hold something. */
const maxDrainingKeys = 10;

/** Gives the wallet a new key and address. The old key stays, so that its balance can be moved. */
export async function rotateWallet(call: Call, kind: RecordKind, id: number): Promise<Row> {
  const current = await findWritable(call, kind, id);
  const { uid: chainUid } = getChain(String(current.chainUid));
  const walletRef = { tenantId: Number(current.tenantId), walletId: id };
  if ((await findDrainingKeys(call.db, walletRef)).length >= maxDrainingKeys)
    throw new Problem(
      'conflict',
      `The wallet has ${maxDrainingKeys} former keys that are not retired yet; move what they hold first.`,
    );
  const key =
    current.type === 'HSM'
      ? await createModuleKey(call, walletRef, chainUid)
      : createSealedKey(call, walletRef, chainUid);
  await archiveWalletKey(call.db, walletRef, call.now);
  await updateRecord(call.db, kind.table, call.scope, id, key, call.now);
  const record = await findRecord(call.db, kind.table, call.scope, id, kind.names, { use: 'write' });
  if (!record) throw new Error(`The rotated wallet ${id} cannot be read back.`);
  const owner = { id, tenantId: walletRef.tenantId };
  await audit(call, 'wallet', 'rotate', owner, shownOf(kind, current), record);
  return record;
}

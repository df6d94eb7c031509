import { chainUids } from '../../chains/chains.ts';
import { Problem } from '../../model/errors.ts';
import { findRecord, type Row, updateRecord } from '../../store/records/records.ts';
import { findDrainingKeys, setKeyAside } from '../../store/wallets/walletKeys.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findWritable, shownOf } from '../records/findWritable.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { makeModuleKey, makeSealedKey } from './makeWalletKey.ts';

const maxDraining = 10;

/** From now on the wallet has a new key and address. The old key is kept, so that what it holds can be moved. */
export async function rotateWallet(call: Call, kind: RecordKind, id: number): Promise<Row> {
  const current = await findWritable(call, kind, id);
  const chainUid = chainUids.find((uid) => uid === current.chainUid)!;
  const place = { tenantId: Number(current.tenantId), walletId: id };
  if ((await findDrainingKeys(call.db, place)).length >= maxDraining)
    throw new Problem(
      'conflict',
      `The wallet has ${maxDraining} former keys that are not retired yet; move what they hold first.`,
    );
  const key =
    current.type === 'HSM'
      ? await makeModuleKey(call, place, chainUid)
      : makeSealedKey(call, place, chainUid);
  await setKeyAside(call.db, place, call.now);
  await updateRecord(call.db, kind.table, call.scope, id, key, call.now);
  const record = await findRecord(call.db, kind.table, call.scope, id, kind.names, { use: 'write' });
  if (!record) throw new Error(`The rotated wallet ${id} cannot be read back.`);
  const owner = { id, tenantId: place.tenantId };
  await audit(call, 'wallet', 'rotate', owner, shownOf(kind, current), record);
  return record;
}

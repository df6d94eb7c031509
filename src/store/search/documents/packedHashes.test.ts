import { expect, it } from 'vitest';
import { raiseAll, randomFinding } from '../../../../test/support/randomAlerts.ts';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import { sql } from '../../../lib/sql.ts';
import { openStore } from '../../db/openStore.ts';
import { compileQuery } from '../compile/compileQuery.ts';
import { alertTable } from './alertTable.ts';
import { blockHashSql, eidSql, packHashes, txHashSql } from './packedHashes.ts';

const hash = `0x${'0a9f'.repeat(16)}`;
const texts = {
  'hashes of 32 bytes': { txHash: hash, blockHash: `0x${'b1'.repeat(32)}`, eid: `${hash}-7-part` },
  'an eid that is the hash': { txHash: hash, blockHash: null, eid: hash },
  'an eid of its own': { txHash: hash, blockHash: hash, eid: 'e1' },
  'upper case': { txHash: hash.toUpperCase().replace('X', 'x'), blockHash: null, eid: `${hash}-1` },
  'hashes of other chains': { txHash: '5J8WNc', blockHash: 'c'.repeat(64), eid: '5J8WNc-1' },
  'no transaction': { txHash: null, blockHash: null, eid: `${hash}-2` },
};

it('hashes and eids are read and found as they were raised', async () => {
  const database = await createTestDatabase('migrated');
  const store = openStore(database.config, () => {});
  try {
    const at = Date.UTC(2026, 0, 20);
    const place = { tenantId: 1, projectId: 2, contractId: 3 };
    const random = createRandom('packed hashes');
    const raised = Object.values(texts);
    await raiseAll(
      store,
      raised.map((item, n) => ({ ...randomFinding(random, place, n, at, at), timestamp: at + n, ...item })),
    );
    const members = sql`${txHashSql} as "txHash", ${blockHashSql} as "blockHash", ${eidSql} as eid`;
    expect(await store.query(sql`select ${members} from alert t order by timestamp`)).toEqual(raised);
    const packed = sql`select count(tx_hash_bytes) as tx, count(block_hash_bytes) as block, count(eid_rest) as eid from alert`;
    expect(await store.query(packed)).toEqual([{ tx: 3, block: 2, eid: 2 }]);
    const scope = { condition: sql`t.tenant_id = 1`, tenantIds: [1] };
    for (const { txHash, eid } of raised) {
      const query = txHash === null ? `eid:"${eid}"` : `txHash:${txHash} AND eid:"${eid}"`;
      const condition = await compileQuery(store, alertTable, scope, { query }, 0);
      expect(await store.query(sql`select ${eidSql} as eid from alert t where ${condition}`)).toEqual([
        { eid },
      ]);
    }
  } finally {
    await store.close();
    await database.drop();
  }
});

it('a hash is packed only if it becomes the same text again', () => {
  expect(packHashes({ eid: `${hash}-7`, txHash: hash })).toMatchObject({
    eid: null,
    eid_rest: '-7',
    tx_hash: null,
  });
  for (const other of [hash.slice(0, -1), `${hash}0`, hash.replace('f', 'F'), `${hash.slice(0, -1)}g`, ''])
    expect(packHashes({ eid: `${other}-7`, txHash: other })).toMatchObject({
      eid: `${other}-7`,
      tx_hash: other,
      tx_hash_bytes: null,
    });
});

import { sql } from '../../src/lib/sql.ts';
import type { Keyring } from '../../src/model/keyring.ts';
import type { Store } from '../../src/store/db/db.ts';

/** A tenant whose detectors are each bound to one healthy destination and one that never answers. */
export async function createHookTarget(
  store: Store,
  keyring: Keyring,
  ports: readonly number[],
): Promise<void> {
  await store.query(sql`insert into tenant (created_at, updated_at, name) values (1, 1, 'bench')`);
  await store.query(
    sql`insert into project (tenant_id, created_at, updated_at, name) values (1, 1, 1, 'bench')`,
  );
  await store.query(
    sql`insert into contract (tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address, name)
      values (1, 1, 1, 1, 'anvil', '0x01', '0x01', 'Contract')`,
  );
  await store.query(
    sql`insert into detector_schema (created_at, updated_at, title, name, version) values (1, 1, 'B', 'bench', '1')`,
  );
  const detectors = ports.length / 2;
  for (const [index, port] of ports.entries()) {
    const n = index + 1;
    const uri = `http://127.0.0.1:${port}/${n % 2 === 1 ? 'ok' : 'hang'}/${n}`;
    const place = { tenantId: 1, kind: 'destination', id: n, member: 'secret' };
    const secret = keyring.seal(place, `whsec_${Buffer.alloc(32, n).toString('base64')}`);
    await store.query(
      sql`insert into destination (id, tenant_id, created_at, updated_at, type, uid, value, uri, method, sealed_secret)
        values (${n}, 1, 1, 1, 'HTTP', ${`d${n}`}, ${uri}, ${uri}, 'POST', ${secret})`,
    );
  }
  await store.query(
    sql`insert into detector (tenant_id, contract_id, schema_id, created_at, updated_at, name, source)
      select 1, 1, 1, 1, 1, 'Detector ' || n, 'PLATFORM' from generate_series(1, ${detectors}::int) n`,
  );
  await store.query(
    sql`insert into detector_destination (tenant_id, detector_id, destination_id, created_at, updated_at)
      select 1, d, 2 * d - side, 1, 1 from generate_series(1, ${detectors}::int) d, generate_series(0, 1) side`,
  );
}

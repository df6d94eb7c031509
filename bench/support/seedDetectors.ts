import { sql } from '../../src/lib/sql.ts';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import type { Store } from '../../src/store/db/db.ts';

/**
 * A tenant with so many contracts, each with a detector of its own, which looks at events alone unless another is named; the first
 * ones are at the addresses given.
 */
export async function seedDetectors(
  store: Store,
  count: number,
  addresses: readonly string[],
  { name, config }: { name: string; config: object } = {
    name: 'ownership_change',
    config: { checkOwner: false },
  },
): Promise<void> {
  await publishDetectors(store, 1);
  await store.query(sql`insert into tenant (created_at, updated_at, name) values (1, 1, 'bench')`);
  await store.query(
    sql`insert into project (tenant_id, created_at, updated_at, name) values (1, 1, 1, 'bench')`,
  );
  await store.query(sql`update plan set detector_rate_limit = 1000000000`);
  await store.query(
    sql`insert into contract (tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address, name, inspected_at)
      select 1, 1, 1, 1, 'ethereum', a, a, 'Contract ' || n, 1
      from generate_series(1, ${count}::int) n,
        lateral (select coalesce((${addresses}::text[])[n], '0x' || left(encode(sha256(n::text::bytea), 'hex'), 40)) as a) x`,
  );
  await store.query(
    sql`insert into detector (tenant_id, contract_id, schema_id, created_at, updated_at, name, source, config)
      select 1, c.id, s.id, 1, 1, 'Detector of ' || c.id, 'PLATFORM', ${JSON.stringify(config)}::jsonb
      from contract c, detector_schema s where s.name = ${name}`,
  );
}

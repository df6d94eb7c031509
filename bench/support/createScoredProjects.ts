import { readFileSync } from 'node:fs';
import { sql } from '../../src/lib/sql.ts';
import { readLicenseTerms } from '../../src/model/licenseTerms.ts';
import type { Store } from '../../src/store/db/db.ts';

/** The example license, from the folder that the benchmark is started in. */
export const example: {
  license: { name: string; version: string; params: string; groupScript: string; scoreScript: string };
  scoreGroups: { name: string }[];
} = JSON.parse(readFileSync('examples/licenses/security-score.json', 'utf8'));

/** A tenant with projects that are each scored by so many instances of the example license. */
export async function createScoredProjects(
  store: Store,
  { projects, licenses }: { projects: number; licenses: number },
): Promise<void> {
  const { name, version, params, groupScript, scoreScript } = example.license;
  const { tick } = readLicenseTerms(params).values;
  await store.query(sql`insert into organisation (created_at, updated_at, name) values (1, 1, 'bench')`);
  await store.query(
    sql`insert into tenant (created_at, updated_at, name, organisation_id) values (1, 1, 'bench', 1)`,
  );
  await store.query(
    sql`insert into project (tenant_id, created_at, updated_at, name)
      select 1, 1, 1, 'Project ' || n from generate_series(1, ${projects}::int) n`,
  );
  await store.query(
    sql`insert into contract (tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address, name)
      select 1, n, 1, 1, 'anvil', '0x' || n, '0x' || n, 'Contract' from generate_series(1, ${projects}::int) n`,
  );
  await store.query(
    sql`insert into detector_schema (created_at, updated_at, title, name, version) values (1, 1, 'B', 'bench', '1')`,
  );
  await store.query(
    sql`insert into detector (tenant_id, contract_id, schema_id, created_at, updated_at, name, source)
      select 1, n, 1, 1, 1, 'Detector', 'PLATFORM' from generate_series(1, ${projects}::int) n`,
  );
  await store.query(
    sql`insert into license (organisation_id, created_at, updated_at, name, version, params, group_script, score_script, tick)
      select 1, 1, 1, ${name}, ${version} || '.' || n, ${params}, ${groupScript}, ${scoreScript}, ${String(tick)}
      from generate_series(1, ${licenses}::int) n`,
  );
  await store.query(
    sql`insert into score_group (license_id, created_at, updated_at, name)
      select l.id, 1, 1, g from license l, unnest(${example.scoreGroups.map((group) => group.name)}::text[]) g`,
  );
  await store.query(
    sql`insert into license_instance (tenant_id, project_id, license_id, organisation_id, created_at, updated_at, license_status)
      select 1, p.id, l.id, 1, 1, 1, 'LICENCED' from project p, license l`,
  );
  await store.query(
    sql`insert into license_instance_meta (tenant_id, license_instance_id, created_at, updated_at, started_at)
      select 1, i.id, 1, 1, '2020-01-01T00:00:00.000Z' from license_instance i`,
  );
}

import type pg from 'pg';
import { issueToken } from '../../src/services/accounts/issueToken.ts';
import type { Store } from '../../src/store/db/db.ts';

type Range = { from: number; to: number };
export type Tenant = { id: number; token: string; projectId: number; contracts: Range };
export const sizes = { large: 20_000, small: 1_000, tenants: 32 };

/** One large tenant and many small ones, the rows written in bulk; a token for each. */
export async function seed(pool: pg.Pool, store: Store): Promise<{ large: Tenant; small: Tenant[] }> {
  const now = Date.now();
  await pool.query(
    `insert into plan (created_at, updated_at, name, max_users, max_contracts, max_projects, max_triggers,
       max_detectors, max_wallets, max_actions, max_api_keys, detector_rate_limit, detector_rate_limit_duration)
     select $1, $1, 'large', n, n, n, n, n, n, n, n, 1000, 3600000 from (values (10000000)) as v(n)`,
    [now],
  );
  const tenants: Tenant[] = [];
  for (let index = 0; index < sizes.tenants; index++) {
    tenants.push(await seedTenant(pool, store, index, index === 0 ? sizes.large : sizes.small, now));
  }
  await pool.query('vacuum analyze');
  const [large, ...small] = tenants;
  return { large: large!, small };
}

async function seedTenant(
  pool: pg.Pool,
  store: Store,
  index: number,
  size: number,
  now: number,
): Promise<Tenant> {
  const { rows } = await pool.query<{ id: number }>(
    `with made as (insert into tenant (created_at, updated_at, name) values ($1, $1, $2) returning id),
       subscribed as (
         insert into subscription (tenant_id, created_at, updated_at, plan_id, start_date, expiration_date)
         select made.id, $1, $1, plan.id, 0, 4000000000000 from made, plan where plan.name = 'large')
     select id from made`,
    [now, `Tenant ${index}`],
  );
  const id = rows[0]!.id;
  const projects = await insert(
    pool,
    `insert into project (tenant_id, created_at, updated_at, name, description)
     select $1::bigint, $2::bigint, $2, 'Project ' || n, 'A project of the benchmark.' from generate_series(1, $3::int) n`,
    [id, now, size / 100],
  );
  const contracts = await insert(
    pool,
    `insert into contract (tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address,
       name, category, tags)
     select $1::bigint, $4 + n % ($3::int / 100), $2::bigint, $2, case n % 3 when 0 then 'polygon' else 'ethereum' end, a, a,
       'Contract ' || n, 'erc20', '{token,bench}'
     from (select n, '0x' || substr(md5($1::bigint::text || n) || md5(n::text), 1, 40) as a from generate_series(1, $3::int) n) x`,
    [id, now, size, projects.from],
  );
  await insert(
    pool,
    `insert into wallet (tenant_id, created_at, updated_at, chain_uid, address, name, type, tags)
     select $1::bigint, $2::bigint, $2, 'ethereum', '0x' || substr(md5($1::bigint::text || n) || md5(n::text), 1, 40), 'Wallet ' || n,
       'DEFAULT', '{pause}'
     from generate_series(1, $3::int) n`,
    [id, now, size],
  );
  const { token } = await issueToken(
    store,
    { kind: 'API_KEY', tenantId: id, userId: null, label: null, roles: ['tenant-manager'], expiredAt: null },
    now,
  );
  return { id, token, projectId: projects.from, contracts };
}

async function insert(pool: pg.Pool, text: string, values: unknown[]): Promise<Range> {
  const { rows } = await pool.query<Range>(
    `with made as (${text} returning id) select min(id) as from, max(id) as to from made`,
    values,
  );
  return rows[0]!;
}

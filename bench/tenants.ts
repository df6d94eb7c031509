import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '../src/model/principal.ts';
import { issueToken } from '../src/services/accounts/issueToken.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { openPool } from '../src/store/db/openPool.ts';
import { createStore } from '../src/store/db/openStore.ts';
import { startWithSuperuser } from '../testing/startWithSuperuser.ts';
import { ask } from './support/ask.ts';
import { createVigil } from './support/createVigil.ts';
import { machine } from './support/machine.ts';
import { reportProgress } from './support/reportProgress.ts';

/** `npm run bench:tenants` asks beside 10,000 tenants; `npm run bench:tenants -- 30000` beside that many. */
const many = Number(process.argv[3] ?? 10_000);
const few = 20;
const repeats = 40;
const searches: readonly [Role, readonly string[]][] = [
  [
    'tenant-manager',
    ['alert', 'project', 'contract', 'detector', 'user', 'license', 'instance', 'instance/meta'],
  ],
  ['organisation-manager', ['project', 'contract', 'user', 'license', 'instance', 'instance/meta']],
];
/** What one tenant has; two tenants are of one organisation. */
const each = { projects: 3, contracts: 20, users: 5 };

const fill = [
  `insert into organisation (id, created_at, updated_at, name)
    select n, 0, 0, 'Organisation ' || n from generate_series(0, TENANTS / 2) n`,
  `insert into tenant (id, created_at, updated_at, name, organisation_id)
    select n, 0, 0, 'Tenant ' || n, n / 2 from generate_series(1, TENANTS) n`,
  `insert into project (id, tenant_id, created_at, updated_at, name)
    select n, 1 + n % TENANTS, 0, 0, 'Project' || n from generate_series(1, TENANTS * ${each.projects}) n`,
  `insert into contract (id, tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address, name)
    select n, p.tenant_id, p.id, 0, 0, 'ethereum', n, n, 'Contract ' || n
    from generate_series(1, TENANTS * ${each.contracts}) n join project p on p.id = 1 + n % (TENANTS * ${each.projects})`,
  `insert into detector_schema (id, created_at, updated_at, name, title, version)
    values (1000000, 0, 0, 'engine', 'Engine', '1.0.0')`,
  `insert into detector (id, tenant_id, contract_id, schema_id, created_at, updated_at, name, source)
    select c.id, c.tenant_id, c.id, 1000000, 0, 0, 'Detector', 'EXTERNAL' from contract c`,
  `insert into member (tenant_id, created_at, updated_at, email, roles)
    select 1 + n % TENANTS, 0, 0, 'user' || n || '@example.com', '{tenant-user}'
    from generate_series(1, TENANTS * ${each.users}) n`,
  `insert into license (id, created_at, updated_at, name, version, organisation_id)
    select n, 0, 0, 'License ' || n, '1', n from generate_series(1, TENANTS / 2) n`,
  `insert into license_instance (id, tenant_id, project_id, license_id, organisation_id, created_at, updated_at)
    select p.id, p.tenant_id, p.id, l.id, l.id, 0, 0
    from project p join license l on l.id = 1 + p.id % (TENANTS / 2) where p.id % 3 = 0`,
  `insert into license_instance_meta (tenant_id, license_instance_id, created_at, updated_at, started_at)
    select i.tenant_id, i.id, 0, 0, '2026-01-01T00:00:00.000Z' from license_instance i`,
];

const alone = await measure(few);
const beside = await measure(many);
console.log(
  `Each tenant has ${each.projects} projects, ${each.contracts} contracts with a detector and ${each.users} users; two are of one ` +
    `organisation. ${machine()}.\n`,
);
console.log(
  `| search, ten records with their total | asks | ${few} tenants: p50 ms | ${many.toLocaleString('en')} tenants: p50 ms | ratio |\n` +
    '|---|---|--:|--:|--:|',
);
for (const [index, { kind, role, p50 }] of alone.entries()) {
  const other = beside[index]!.p50;
  console.log(
    `| ${kind} | ${role} | ${p50.toFixed(1)} | ${other.toFixed(1)} | ${(other / p50).toFixed(2)} |`,
  );
}

type Measured = { kind: string; role: string; p50: number };

async function measure(tenants: number): Promise<Measured[]> {
  const folder = join(tmpdir(), `vigil-bench-${randomUUID()}`);
  const embedded = await startWithSuperuser({ dataDir: folder });
  try {
    await migrate(embedded.connection);
    const pool = openPool({ ...embedded.connection, statement_timeout: 0 }, () => {});
    const store = createStore(pool);
    reportProgress(`Creating ${tenants.toLocaleString('en')} tenants`);
    for (const statement of fill) await pool.query(statement.replaceAll('TENANTS', String(tenants)));
    await pool.query('vacuum analyze');
    const server = await createVigil(store, store);
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const measured: Measured[] = [];
    for (const [role, kinds] of searches) {
      // One of the last.
      const made = {
        kind: 'API_KEY',
        tenantId: tenants - 4,
        userId: null,
        label: null,
        expiredAt: null,
      } as const;
      const { token } = await issueToken(store, { ...made, roles: [role] }, Date.now());
      for (const kind of kinds) {
        reportProgress(`${kind} as ${role}`);
        const body = kind === 'alert' ? {} : { trackTotal: true };
        const times: number[] = [];
        for (let n = -10; n < repeats; n++) {
          const startedAt = performance.now();
          await ask(`${url}/api/v1/${kind}/search`, token, body);
          if (n >= 0) times.push(performance.now() - startedAt);
        }
        measured.push({ kind, role, p50: times.toSorted((a, b) => a - b)[repeats >> 1]! });
      }
    }
    await server.close();
    await pool.end();
    return measured;
  } finally {
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';
import { walletTable } from '../tables/walletTable.ts';
import { firingTables } from './firingTables.ts';

export type GuardedWallet = {
  id: number;
  tenantId: number;
  address: string;
  name: string;
  approvers: number[] | null;
};

/** The wallets that ask for a second user, of these tenants or those that the scope sees. */
export async function findGuardedWallets(db: Db, scope: Scope): Promise<GuardedWallet[]> {
  return db.prepared<GuardedWallet>(
    sql`select t.id, t.tenant_id as "tenantId", t.address, t.name, t.approvers from wallet t
      where t.require_approval and t.status <> 'DELETED' and ${walletTable.visible(scope)} order by t.id`,
  );
}

/** Requests that may change what the tenant's guarded wallets do take turns, so that each sees its own changes alone. */
export async function lockGuarded(tx: Db, tenantIds: readonly number[]): Promise<void> {
  for (const id of tenantIds.toSorted((left, right) => left - right))
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`guarded wallets ${id}`}, 0))`);
}

/** A record on which it depends what a guarded wallet signs, and when. */
export type GuardedRecord = {
  kind: string;
  id: number;
  createdAt: number;
  /** The guarded wallets that it has to do with. */
  walletIds: number[];
  digest: string;
  /** Everything of it that counts, by member; of the records that were asked for. */
  members: Record<string, unknown> | null;
};

type Key = Pick<GuardedRecord, 'kind' | 'id'>;

/** Further records: guarded before a change, and those whose members to read. */
type Further = { also?: readonly Key[]; shown?: readonly Key[] };

/**
 * The wallets, their actions, what fires these, and the contracts that are called and watched. Anything that changes when or
 * with what a wallet signs changes one of these records.
 */
export async function findGuardedRecords(
  db: Db,
  wallets: readonly GuardedWallet[],
  { also = [], shown = [] }: Further = {},
): Promise<GuardedRecord[]> {
  const tenants = sql`${[...new Set(wallets.map(({ tenantId }) => tenantId))]}::bigint[]`;
  const ids = sql`${wallets.map(({ id }) => id)}::bigint[]`;
  const before = (kind: string) =>
    sql`${also.filter((key) => key.kind === kind).map(({ id }) => id)}::bigint[]`;
  const conditions = ['detector', 'trigger alert', 'trigger', 'contract'].map(
    (kind) =>
      sql`select ${kind}, r.id, r.tenant_id, null::bigint from ${raw(tableOf[kind] ?? '')} r
        where r.tenant_id = any(${tenants}) and r.id = any(${before(kind)})`,
  );
  return db.prepared<GuardedRecord>(
    sql`with acting as (
        select x.id, x.tenant_id, x.contract_id, x.wallet_id as guard from action x
        where x.tenant_id = any(${tenants}) and x.wallet_id = any(${ids}) and x.status <> 'DELETED'
        union all
        select x.id, x.tenant_id, x.contract_id, null from action x
        where x.tenant_id = any(${tenants}) and x.id = any(${before('action')}) and x.wallet_id <> all(${ids})),
      f as (${join(firingTables.map(firings), ' union all ')}),
      sources as (
        select f.source as kind, f.source_id as id, f.tenant_id, f.guard from f
        union ${join(conditions.slice(0, 2), ' union ')}),
      watching as (
        select s.kind, s.id, s.tenant_id, s.guard from sources s
        union
        select 'trigger', a.trigger_id, s.tenant_id, s.guard from sources s
        join trigger_alert a on s.kind = 'trigger alert' and a.tenant_id = s.tenant_id and a.id = s.id
        union ${conditions[2]}),
      found (kind, id, tenant_id, guard) as (
        select 'wallet', w.id, w.tenant_id, w.id from wallet w
        where w.tenant_id = any(${tenants}) and w.id = any(${ids})
        union select 'action', n.id, n.tenant_id, n.guard from acting n
        union select f.kind, f.id, f.tenant_id, f.guard from f
        union select w.kind, w.id, w.tenant_id, w.guard from watching w
        union select 'contract', n.contract_id, n.tenant_id, n.guard from acting n
        union
        select 'contract', d.contract_id, d.tenant_id, w.guard from watching w
        join detector d on w.kind = 'detector' and d.tenant_id = w.tenant_id and d.id = w.id
        union
        select 'contract', g.contract_id, g.tenant_id, w.guard from watching w
        join "trigger" g on w.kind = 'trigger' and g.tenant_id = w.tenant_id and g.id = w.id
        union ${conditions[3]}),
      chosen as (
        select kind, id, tenant_id, coalesce(array_agg(guard) filter (where guard is not null), '{}') as "walletIds"
        from found group by kind, id, tenant_id)
      select e.kind, e.id, e."walletIds", r.created_at as "createdAt", md5(r.members::text) as digest,
        case when e.kind || ' ' || e.id = any(${shown.map(({ kind, id }) => `${kind} ${id}`)}::text[])
          then r.members end as members
      from chosen e, lateral (${join(members, ' union all ')}) r
      order by e.kind, e.id`,
  );
}

const tableOf: Readonly<Record<string, string>> = {
  detector: 'detector',
  'trigger alert': 'trigger_alert',
  trigger: '"trigger"',
  contract: 'contract',
};

/** The rows of a firing table that fire these actions. */
function firings({ table, kind, column }: (typeof firingTables)[number]): Sql {
  return sql`select ${`${kind} binding`} as kind, b.id, b.tenant_id, ${kind} as source,
      b.${raw(column)} as source_id, n.guard
    from ${raw(table)} b join acting n on n.tenant_id = b.tenant_id and n.id = b.action_id`;
}

/** Another record by its number and name; `row` is where it stands, as the last word before `where` calls it. */
const reference = (kind: string, alias: string, row: string) =>
  raw(`(select jsonb_build_object('kind', '${kind}', 'id', ${alias}.id, 'name', ${alias}.name) from ${row})`);
const contract = (row: string) =>
  raw(`(select jsonb_build_object('kind', 'contract', 'id', c.id, 'name', c.name, 'address', c.address,
    'chainUid', c.chain_uid) from contract c where c.tenant_id = ${row}.tenant_id and c.id = ${row}.contract_id)`);
const wallet = reference('wallet', 'w', 'wallet w where w.tenant_id = x.tenant_id and w.id = x.wallet_id');
const action = reference('action', 'x', 'action x where x.tenant_id = b.tenant_id and x.id = b.action_id');
const detector = reference(
  'detector',
  'd',
  'detector d where d.tenant_id = b.tenant_id and d.id = b.detector_id',
);
const triggerAlert = reference(
  'trigger alert',
  'a',
  'trigger_alert a where a.tenant_id = b.tenant_id and a.id = b.trigger_alert_id',
);
const trigger = reference(
  'trigger',
  'g',
  '"trigger" g where g.tenant_id = a.tenant_id and g.id = a.trigger_id',
);
const schema = reference('detector schema', 's', 'detector_schema s where s.id = d.schema_id');

/** The members of each kind, of the record `e`. */
const members: readonly Sql[] = [
  sql`select w.created_at, jsonb_build_object('name', w.name, 'status', w.status, 'chainUid', w.chain_uid,
      'address', w.address, 'type', w.type, 'tags', w.tags, 'maxGasPrice', w.max_gas_price::text,
      'maxHourlySpend', w.max_hourly_spend::text, 'allowedCalls', w.allowed_calls,
      'requireApproval', w.require_approval, 'approvers', w.approvers) as members
    from wallet w where e.kind = 'wallet' and w.tenant_id = e.tenant_id and w.id = e.id and w.status <> 'DELETED'`,
  sql`select x.created_at, jsonb_build_object('name', x.name, 'description', x.description,
      'wallet', ${wallet},
      'contract', ${contract('x')}, 'funcSignature', x.func_signature, 'funcAbi', x.func_abi, 'params', x.params,
      'openParams', x.open_params, 'gasPrice', x.gas_price, 'gasLimit', x.gas_limit, 'gasTip', x.gas_tip,
      'fireAt', x.fire_at, 'maxAlertAge', x.max_alert_age, 'urgent', x.urgent, 'destinations', (
        select coalesce(jsonb_agg(b.destination_id order by b.destination_id), '[]') from action_destination b
        where b.tenant_id = x.tenant_id and b.action_id = x.id))
    from action x where e.kind = 'action' and x.tenant_id = e.tenant_id and x.id = e.id and x.status <> 'DELETED'`,
  sql`select b.created_at, jsonb_build_object(
      'action', ${action},
      'firedBy', ${detector},
      'status', b.status, 'scriptFilter', b.script_filter, 'scriptParams', b.script_params)
    from action_detector b where e.kind = 'detector binding' and b.tenant_id = e.tenant_id and b.id = e.id`,
  sql`select b.created_at, jsonb_build_object(
      'action', ${action},
      'firedBy', ${triggerAlert},
      'scriptFilter', b.script_filter, 'scriptParams', b.script_params)
    from action_trigger_alert b
    where e.kind = 'trigger alert binding' and b.tenant_id = e.tenant_id and b.id = e.id`,
  sql`select d.created_at, jsonb_build_object('name', d.name, 'status', d.status,
      'schema', ${schema},
      'contract', ${contract('d')}, 'source', d.source, 'tags', d.tags, 'config', d.config,
      'credentials', md5(d.sealed_config::text))
    from detector d where e.kind = 'detector' and d.tenant_id = e.tenant_id and d.id = e.id and d.status <> 'DELETED'`,
  sql`select g.created_at, jsonb_build_object('name', g.name, 'status', g.status, 'contract', ${contract('g')},
      'triggerType', g.trigger_type, 'params', g.params, 'tags', g.tags)
    from "trigger" g where e.kind = 'trigger' and g.tenant_id = e.tenant_id and g.id = e.id and g.status <> 'DELETED'`,
  sql`select a.created_at, jsonb_build_object('name', a.name,
      'trigger', ${trigger},
      'severity', a.severity, 'message', a.message)
    from trigger_alert a where e.kind = 'trigger alert' and a.tenant_id = e.tenant_id and a.id = e.id`,
  sql`select c.created_at, jsonb_build_object('name', c.name, 'chainUid', c.chain_uid, 'address', c.address,
      'addressType', c.address_type, 'project', (
        select p.name from project p where p.tenant_id = c.tenant_id and p.id = c.project_id),
      'abi', case when c.abi is not null then jsonb_array_length(c.abi) || ' items, digest ' || md5(c.abi::text) end)
    from contract c
    where e.kind = 'contract' and c.tenant_id = e.tenant_id and c.id = e.id and c.status <> 'DELETED'`,
];

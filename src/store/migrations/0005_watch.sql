-- Following chains. Of several processes the one that holds a chain's lease follows it; every step forward names its
-- holder and the block it starts from, so that one that lost the lease cannot write any more.
alter table chain_cursor
  add column processed bigint,
  add column hash text,
  add column processed_at bigint,
  add column holder text,
  add column lease_until timestamptz,
  add column endpoints jsonb;

-- The blocks that were processed and may still be reorganised.
create table chain_block (
  chain_uid text not null,
  number bigint not null,
  hash text not null,
  parent_hash text not null,
  timestamp bigint not null,
  primary key (chain_uid, number)
);

-- What a detector or trigger remembers from one evaluation to the next, and what it was before each block that changed it.
create table watch_state (
  kind text not null,
  id bigint not null,
  tenant_id bigint not null,
  state jsonb not null,
  primary key (kind, id)
);
create table watch_undo (
  chain_uid text not null,
  number bigint not null,
  kind text not null,
  id bigint not null,
  tenant_id bigint not null,
  -- Null: there was none before.
  state jsonb,
  primary key (chain_uid, number, kind, id)
);

-- Detectors and triggers whose last evaluation failed.
create table watch_fault (
  kind text not null,
  id bigint not null,
  tenant_id bigint not null,
  contract_id bigint not null,
  message text not null,
  count integer not null,
  first_at bigint not null,
  last_at bigint not null,
  primary key (kind, id)
);
create index watch_fault_tenant on watch_fault (tenant_id);

-- Alerts of detectors in each window of a plan's rate limit.
create table alert_rate (
  tenant_id bigint not null,
  window_start bigint not null,
  count integer not null,
  primary key (tenant_id, window_start)
);

-- Addresses that got money from a labelled source such as a mixer, directly or over several hops.
create table funded_address (
  chain_uid text not null,
  address text not null,
  source text not null,
  tags text[] not null,
  hops smallint not null,
  transaction_hash text not null,
  block_number bigint not null,
  timestamp bigint not null,
  primary key (chain_uid, address, source, block_number)
);
create index funded_address_block on funded_address (chain_uid, block_number);

-- When the contract's proxy was last looked into; null: not yet.
alter table contract add column inspected_at bigint;

-- Every process that watches hears of changes as soon as they are committed.
create function notify_watch_contract() returns trigger language plpgsql as $$
begin
  perform pg_notify('vigil_watch', 'contract ' || coalesce(new.contract_id, old.contract_id));
  return null;
end $$;
create trigger detector_watch after insert or update or delete on detector
  for each row execute function notify_watch_contract();
create trigger trigger_watch after insert or update or delete on "trigger"
  for each row execute function notify_watch_contract();

create function notify_watch_own() returns trigger language plpgsql as $$
begin
  perform pg_notify('vigil_watch', tg_argv[0] || ' ' || coalesce(new.id, old.id));
  return null;
end $$;
create trigger contract_watch after insert or update or delete on contract
  for each row execute function notify_watch_own('contract');
create trigger project_watch after update on project
  for each row when (old.status <> new.status) execute function notify_watch_own('project');
create trigger tenant_watch after update on tenant
  for each row when (old.status <> new.status) execute function notify_watch_own('tenant');
create trigger schema_watch after update on detector_schema
  for each row execute function notify_watch_own('schema');

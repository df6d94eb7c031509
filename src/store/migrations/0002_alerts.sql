-- Alerts and score changes: partitioned by month on timestamp (epoch milliseconds). `terms` holds the hashes of the
-- words and values that can be searched for; every candidate is checked again on its own columns.

create table alert (
  tenant_id bigint not null,
  timestamp bigint not null,
  contract_id bigint not null,
  project_id bigint not null,
  uid uuid not null,
  detector_id bigint,
  trigger_id bigint,
  action_id bigint,
  wallet_id bigint,
  block_number bigint,
  retracted_at bigint,
  numeric_severity smallint not null,
  is_resolved boolean not null default false,
  suppressed boolean not null default false,
  kind text not null,
  alert_group text not null,
  name text not null,
  message text not null,
  eid text not null,
  tx_hash text,
  chain_uid text,
  block_hash text,
  interceptor_type text,
  trigger_type text,
  wallet_name text,
  wallet_chain_uid text,
  wallet_address text,
  tags text[] not null default '{}',
  meta jsonb not null default '{}',
  odd_words jsonb,
  terms int4[] not null,
  primary key (tenant_id, timestamp, uid)
) partition by range (timestamp);
create index alert_contract on alert (tenant_id, contract_id, kind, timestamp desc)
  include (numeric_severity, alert_group) where retracted_at is null;
create index alert_terms on alert using gin (terms);
-- Alerts come in the order of blocks, so that a summary of each stretch of rows is enough to find a block's.
create index alert_block on alert using brin (block_number);
alter table alert alter column terms set statistics 500;

-- Counts per contract (0: the whole tenant) and quarter of an hour or UTC day, kept in the alerts' own transaction.
-- One row has all of them: `counts` is a cell for every group and severity. A retracted alert is not counted.
create table alert_rollup (
  tenant_id bigint not null,
  contract_id bigint not null,
  width_ms integer not null,
  start bigint not null,
  counts int4[] not null,
  primary key (tenant_id, contract_id, width_ms, start)
);

-- An outside engine's own id of a finding, so that a repeated one is recognised whatever its time.
create table external_finding (
  tenant_id bigint not null,
  detector_id bigint not null,
  eid text not null,
  uid uuid not null,
  primary key (tenant_id, detector_id, eid)
);

create table score_change (
  tenant_id bigint not null,
  timestamp bigint not null,
  license_instance_id bigint not null,
  i bigint not null,
  uid uuid not null,
  index text not null,
  type text not null,
  organisation_id bigint not null,
  license_id bigint not null,
  project_id bigint not null,
  contract_id bigint,
  tx_hash text,
  detector_schema_name text,
  alert_id text,
  monitor_id text,
  alert_name text,
  alert_message text,
  numeric_severity smallint,
  tags text[] not null default '{}',
  meta jsonb not null default '{}',
  score_group text,
  score double precision not null,
  score_change double precision not null,
  key text,
  value double precision,
  odd_words jsonb,
  terms int4[] not null,
  primary key (tenant_id, timestamp, uid)
) partition by range (timestamp);
create index score_change_instance on score_change (tenant_id, license_instance_id, timestamp desc, uid);
create index score_change_terms on score_change using gin (terms);

-- What the platform counts and measures, by minute. tenant_id 0 is the platform itself.
create table metric_sample (
  tenant_id bigint not null,
  metric text not null,
  minute bigint not null,
  labels jsonb not null,
  value double precision not null,
  count bigint not null,
  min double precision not null,
  max double precision not null,
  last double precision not null,
  primary key (tenant_id, metric, minute, labels)
);

-- How far each chain has been followed; the finality of an alert follows from it.
create table chain_cursor (
  chain_uid text primary key,
  head bigint not null,
  confirmed bigint not null,
  final bigint not null,
  updated_at bigint not null
);

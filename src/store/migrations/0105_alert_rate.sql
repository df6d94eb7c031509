-- Detectors that count alerts. They follow the alert events of their tenant, so that raising an alert costs nothing for them.
-- One lane for each tenant that has such a detector: the position is that of the last event counted. Whoever lost its lease
-- writes nothing any more.
create table alert_rate_lane (
  tenant_id bigint primary key references tenant (id),
  xid xid8 not null,
  seq bigint not null,
  -- Of the last alert counted of an event that has several; null: all of them.
  place bigint,
  served_at timestamptz not null default clock_timestamp(),
  holder uuid,
  lease_until timestamptz
);

-- What a detector counts: changed settings begin to count anew, from `since` on.
create table alert_rate_rule (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  detector_id bigint not null,
  settings text not null,
  since bigint not null,
  unique (tenant_id, detector_id, settings),
  foreign key (tenant_id, detector_id) references detector (tenant_id, id)
);

-- An alert that a rule counts. `value` is what differs where different values are counted.
create table alert_rate_hit (
  tenant_id bigint not null,
  rule_id bigint not null,
  group_key uuid not null,
  timestamp bigint not null,
  alert_uid uuid not null,
  value_key uuid not null,
  value text,
  expires_at bigint not null,
  primary key (tenant_id, rule_id, group_key, timestamp, alert_uid, value_key)
);
create index alert_rate_hit_alert on alert_rate_hit (tenant_id, alert_uid);
create index alert_rate_hit_expiry on alert_rate_hit (expires_at);

-- A time in which a group was above its limit, with the alert about it; null: within the cooldown of another one.
create table alert_rate_crossing (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  rule_id bigint not null,
  group_key uuid not null,
  from_at bigint not null,
  until_at bigint not null,
  alert_at bigint,
  alert_uid uuid,
  expires_at bigint not null
);
create index alert_rate_crossing_group on alert_rate_crossing (tenant_id, rule_id, group_key, until_at);
create index alert_rate_crossing_expiry on alert_rate_crossing (expires_at);

create index detector_schema_tenant on detector (schema_id, tenant_id) where status <> 'DELETED';

-- Incidents: alerts of one tenant that have one cause. `incident_key` leads from a transaction or a repeated cause to its incident.
create table incident (
  tenant_id bigint not null,
  uid uuid not null,
  id bigint generated always as identity,
  chain_uid text,
  name text not null,
  message text not null,
  numeric_severity smallint not null,
  -- Alerts that are not retracted, and those of them that no one has resolved.
  alerts integer not null,
  open_alerts integer not null,
  status text not null generated always as
    (case when alerts = 0 then 'RETRACTED' when open_alerts = 0 then 'RESOLVED' else 'UNRESOLVED' end) stored,
  contract_ids bigint[] not null,
  tx_hashes text[] not null,
  first_at bigint not null,
  last_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (tenant_id, uid)
);
create index incident_time on incident (tenant_id, last_at desc, id);
create index incident_age on incident using brin (last_at);

create table incident_key (
  tenant_id bigint not null,
  key text not null,
  incident_uid uuid,
  -- Of the newest alert with this key.
  last_at bigint not null,
  primary key (tenant_id, key)
);
create index incident_key_age on incident_key using brin (last_at);

alter table alert
  add column incident_uid uuid,
  -- The kind of the detector that raised it.
  add column detector_schema_name text;

-- To find what a destination got of an incident.
alter table delivery add column incident_uid uuid;
create index delivery_incident on delivery (tenant_id, incident_uid) where incident_uid is not null;

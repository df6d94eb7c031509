-- The newest message about an incident at a destination whose messages can grow: `ref` is what its channel calls it.
create table incident_message (
  tenant_id bigint not null,
  incident_uid uuid not null,
  destination_id bigint not null,
  ref text not null,
  -- The worst that it says.
  numeric_severity smallint not null,
  sent_at bigint not null,
  primary key (tenant_id, incident_uid, destination_id)
);
create index incident_message_age on incident_message using brin (sent_at);

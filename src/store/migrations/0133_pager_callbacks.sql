-- What a pager has told Vigil: each event once.
create table pager_event (
  tenant_id bigint not null references tenant (id),
  destination_id bigint not null,
  event_id text not null,
  at bigint not null,
  primary key (tenant_id, destination_id, event_id)
);
create index pager_event_age on pager_event (at);

-- The newest event of a pager about an incident, so that a late one changes nothing, and the acknowledgement that it brought.
create table pager_state (
  tenant_id bigint not null references tenant (id),
  destination_id bigint not null,
  incident_uid uuid not null,
  occurred_at bigint not null,
  acknowledged_at bigint,
  primary key (tenant_id, destination_id, incident_uid)
);
create index pager_state_age on pager_state (occurred_at);

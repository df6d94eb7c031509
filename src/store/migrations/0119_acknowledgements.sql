-- Who acknowledged an alert or an incident, and until when; null: until it is resolved.
alter table alert
  add column acknowledged_at bigint,
  add column acknowledged_by text,
  add column acknowledged_by_id bigint,
  add column acknowledged_until bigint;

-- Later alerts of an incident are covered up to the severity that it had then.
alter table incident
  add column acknowledged_at bigint,
  add column acknowledged_by text,
  add column acknowledged_by_id bigint,
  add column acknowledged_until bigint,
  add column acknowledged_severity smallint,
  add column assignee_id bigint,
  add column disposition text check (disposition in ('TRUE', 'BENIGN', 'KNOWN', 'TEST')),
  add column disposition_reason text;

-- What people made of the alerts of a detector, for its quality: the first acknowledgement of each alert, and the disposition of
-- each incident in which it has one.
create table detector_acknowledgement (
  tenant_id bigint not null,
  detector_id bigint not null,
  alert_uid uuid not null,
  at bigint not null,
  took_ms bigint not null,
  primary key (tenant_id, alert_uid)
);
create index detector_acknowledgement_time on detector_acknowledgement (tenant_id, detector_id, at) include (took_ms);
create index detector_acknowledgement_age on detector_acknowledgement using brin (at);

create table detector_judgement (
  tenant_id bigint not null,
  detector_id bigint not null,
  incident_uid uuid not null,
  at bigint not null,
  disposition text not null,
  primary key (tenant_id, incident_uid, detector_id)
);
create index detector_judgement_time on detector_judgement (tenant_id, detector_id, at) include (disposition);
create index detector_judgement_age on detector_judgement using brin (at);

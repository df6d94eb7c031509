-- Who works on an alert, and what people wrote about it.
alter table alert add column assignee_id bigint;
create index alert_assignee on alert (tenant_id, assignee_id, timestamp desc) where assignee_id is not null;

create table alert_comment (
  tenant_id bigint not null,
  alert_uid uuid not null,
  id bigint generated always as identity,
  -- The comments of an alert go with it.
  alert_timestamp bigint not null,
  author_id bigint,
  -- As the author was called when it was written.
  author text not null,
  text text not null,
  created_at bigint not null,
  primary key (tenant_id, alert_uid, id)
);
create index alert_comment_age on alert_comment using brin (alert_timestamp);

-- Scores. What changes the score of a license instance is written in the transaction of the alert, of its retraction or
-- of the clock, and is the queue at the same time. `data` is all that the scripts get to see, so that a change does not
-- depend on when it is made.
create table score_work (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  license_instance_id bigint not null,
  type text not null check (type in ('alert', 'tick', 'retraction')),
  -- Epoch milliseconds of the alert, of the tick or of the retraction.
  at bigint not null,
  created_at bigint not null,
  alert_uid uuid,
  alert_timestamp bigint,
  data jsonb not null
);
create index score_work_order on score_work (tenant_id, license_instance_id, id);
create index score_work_alert on score_work (tenant_id, alert_uid) where alert_uid is not null;

-- One for each instance that was ever scored: its work is done in order, by one worker at a time. Whoever dies with a
-- lane leaves it to others when the lease ends; whoever lost it writes nothing any more.
create table score_lane (
  tenant_id bigint not null,
  license_instance_id bigint not null,
  next_i bigint not null default 1,
  next_tick_at bigint,
  holder uuid,
  lease_until timestamptz,
  -- Why nothing is scored any more until somebody mends it: what the script said, where, and at which work.
  fault jsonb,
  primary key (tenant_id, license_instance_id),
  foreign key (tenant_id, license_instance_id) references license_instance (tenant_id, id)
);

-- The present score of each group of an instance.
create table score_standing (
  tenant_id bigint not null,
  license_instance_id bigint not null,
  score_group text not null,
  score double precision not null,
  changes bigint not null,
  changed_at bigint not null,
  primary key (tenant_id, license_instance_id, score_group)
);

-- `asked` is what the script wanted, before the bounds of the license; `base` the score on which it stands if only what
-- has not been retracted counts; `undone_by` the number of the change that took it back.
alter table score_change
  add column asked double precision,
  add column base double precision,
  add column undone_by bigint;
create index score_change_order on score_change (tenant_id, license_instance_id, i);

-- The schedule that a license asks for in its params.
alter table license add column tick text;
create index license_tick on license (id) where tick is not null;
create index license_instance_license on license_instance (license_id);

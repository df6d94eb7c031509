-- Quantities of a plan that came after the first ones. The defaults are for plans that exist already; a tenant that has
-- more keeps what it has and adds no more.
alter table plan
  add column max_destinations integer not null default 100,
  add column max_labels integer not null default 100000,
  add column max_streams integer not null default 20,
  add column max_invites integer not null default 50,
  add column max_pushed_alerts integer not null default 6000;

-- Alerts that a tenant has pushed in its newest minute (epoch milliseconds of its begin).
create table pushed_alerts (
  tenant_id bigint primary key references tenant (id) on delete cascade,
  minute bigint not null,
  count integer not null
);

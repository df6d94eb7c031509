-- A finding that was pushed long after it happened: stored and scored, but nobody is notified and nothing is fired.
alter table alert add column backfilled boolean not null default false;

-- How old an alert may be to fire the action, in milliseconds; null for any age.
alter table action add column max_alert_age bigint default 3600000;

-- The actions whose transactions led to the alert behind an intent, the first one first: an action that is among its own
-- causes would fire itself for ever.
alter table action_intent add column causes bigint[] not null default '{}';
create index action_transaction_hash on action_transaction (tenant_id, hash);

-- What waits is taken tenant by tenant.
create index action_intent_waiting on action_intent (chain_uid, tenant_id, id) where state = 'WAITING';

-- Scripts of a binding that ran out of time, one after the other. Once there are too many, the binding is stopped until
-- the action is saved again.
create table binding_timeout (
  tenant_id bigint not null,
  action_id bigint not null,
  binding text not null,
  count integer not null,
  updated_at bigint not null,
  primary key (tenant_id, action_id, binding),
  foreign key (tenant_id, action_id) references action (tenant_id, id)
);

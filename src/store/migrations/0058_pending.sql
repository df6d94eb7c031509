-- Alerts of transactions that no block has yet, and why such an alert was retracted.
alter table alert
  add column is_pending boolean,
  add column retraction_reason text;

-- The alerts that were raised while their transaction was pending. The place is the same whether a block has it or not, so that
-- what the block shows becomes the same alert. A row stays until its block is final, or for a day after it was retracted.
create table pending_alert (
  chain_uid text not null,
  tx_hash text not null,
  tenant_id bigint not null,
  -- The detector, and where in the transaction it found something.
  source text not null,
  place text not null,
  alert_uid uuid not null,
  alert_timestamp bigint not null,
  sender text not null,
  nonce bigint not null,
  max_fee numeric not null,
  tip numeric,
  -- Only traces of its block can show the same.
  needs_trace boolean not null,
  -- MINED: its block is known, but not yet whether it shows the same. ADOPTED: it does. GONE: the alert was retracted.
  state text not null default 'PENDING' check (state in ('PENDING', 'MINED', 'ADOPTED', 'GONE')),
  block_number bigint,
  block_hash text,
  -- Whether the traces of the block are evaluated.
  is_traced boolean,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (chain_uid, tx_hash, tenant_id, source, place)
);
create index pending_alert_state on pending_alert (chain_uid, state, updated_at);
create index pending_alert_alert on pending_alert (tenant_id, alert_uid);

-- How the process that follows the chain fares with pending transactions.
alter table chain_cursor add column pending jsonb;

alter table action drop constraint action_fire_at_check;
alter table action add constraint action_fire_at_check check (fire_at in ('pending', 'head', 'confirmed'));
alter table action_intent drop constraint action_intent_fire_at_check;
alter table action_intent add constraint action_intent_fire_at_check check (fire_at in ('pending', 'head', 'confirmed'));
-- When the pending transaction that it answers vanished: a call under way is replaced by an empty one.
alter table action_intent add column unwanted_at bigint;

-- An action that fires at pending transactions makes its detectors look at them.
create function notify_watch_action() returns trigger language plpgsql as $$
begin
  perform pg_notify('vigil_watch', 'contract ' || d.contract_id) from action_detector b
    join detector d on d.tenant_id = b.tenant_id and d.id = b.detector_id
    where b.tenant_id = coalesce(new.tenant_id, old.tenant_id) and b.action_id = coalesce(new.id, old.id);
  return null;
end $$;
create trigger action_watch after update on action
  for each row when (old.fire_at <> new.fire_at or old.status <> new.status) execute function notify_watch_action();
create function notify_watch_binding() returns trigger language plpgsql as $$
begin
  perform pg_notify('vigil_watch', 'contract ' || d.contract_id) from detector d, action x
    where d.tenant_id = coalesce(new.tenant_id, old.tenant_id) and d.id = coalesce(new.detector_id, old.detector_id)
      and x.tenant_id = d.tenant_id and x.id = coalesce(new.action_id, old.action_id) and x.fire_at = 'pending';
  return null;
end $$;
create trigger action_detector_watch after insert or update or delete on action_detector
  for each row execute function notify_watch_binding();

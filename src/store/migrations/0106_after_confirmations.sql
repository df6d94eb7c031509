-- How many blocks must follow that of an alert before it is sent; null: it is sent at once.
alter table detector_destination add column after_confirmations integer;
alter table trigger_alert_destination add column after_confirmations integer;
alter table action_destination add column after_confirmations integer;

-- Deliveries that wait for that. `due_block` is null while no block has the transaction.
create table held_delivery (
  tenant_id bigint not null,
  delivery_id bigint not null,
  alert_uid uuid not null,
  chain_uid text not null,
  confirmations integer not null,
  due_block bigint,
  primary key (tenant_id, delivery_id)
);
create index held_delivery_due on held_delivery (chain_uid, due_block);
create index held_delivery_alert on held_delivery (tenant_id, alert_uid);

-- Alerts whose tenant's rules took more than their share of the transaction that raised them. The transaction that decides
-- one deletes its row, and the one that retracts it deletes it too.
create table undecided_alert (
  tenant_id bigint not null,
  alert_uid uuid not null,
  raised_at bigint not null,
  raised jsonb not null,
  primary key (tenant_id, alert_uid)
);
create index undecided_alert_age on undecided_alert (tenant_id, raised_at);

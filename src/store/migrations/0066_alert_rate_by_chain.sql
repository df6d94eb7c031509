-- Each chain counts its own alerts in a window, and a decision adds up all chains: with one row for a tenant, the blocks of all its
-- chains waited for each other until they were committed. Windows are short, so none is converted.
truncate alert_rate;
alter table alert_rate
  drop constraint alert_rate_pkey,
  add column chain_uid text not null,
  add primary key (tenant_id, window_start, chain_uid);

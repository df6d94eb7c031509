-- One row counts a tenant's alerts in a window. It is changed last, right before the commit, so that the chains of a tenant and
-- its pushes do not wait for each other. Windows are short, so none is converted.
truncate alert_rate;
alter table alert_rate
  drop constraint alert_rate_pkey,
  drop column chain_uid,
  add primary key (tenant_id, window_start);

-- What happened to several alerts of a tenant at once is one row. Rows from before have one alert, with its own columns.
alter table alert_event
  add column alert_uids uuid[],
  alter column contract_id drop not null,
  alter column alert_uid drop not null,
  alter column alert_timestamp drop not null;

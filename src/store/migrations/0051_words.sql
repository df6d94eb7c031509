-- The dictionary of a tenant: every word of its alerts by field, by which patterns and ranges of words become lists of terms.
-- Of long words and those with many digits only their shapes. `month` counts from January 1970: an alert of that month, but of
-- none after it, has the word. Words may outlive their alerts.
create table alert_word (
  tenant_id bigint not null,
  month smallint not null,
  field smallint not null,
  is_shape boolean not null,
  word text collate "C" not null,
  primary key (tenant_id, field, is_shape, word)
);
-- How many words a field has. Beyond a limit more are skipped: the dictionary is then incomplete for alerts up to that month.
create table alert_word_field (
  tenant_id bigint not null,
  field smallint not null,
  words integer not null,
  skipped_month smallint,
  primary key (tenant_id, field)
);
-- Words of stored alerts are collected in the background, from the first alert on; where there is none, all are.
update alert_terms_state set version = case when exists (select from alert) then version else 3 end,
  partition = null, tenant_id = null, timestamp = null, uid = null;

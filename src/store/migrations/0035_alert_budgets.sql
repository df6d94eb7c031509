-- Each severity has its own budget in a window of a plan's rate limit: `counts` has a cell for each, the lowest first, and
-- `noticed` the highest severity (10 to 90) whose alerts were suppressed and reported. Windows are short, so none is converted.
truncate alert_rate;
alter table alert_rate
  drop column count,
  add column counts int4[] not null,
  add column noticed smallint not null default 0;

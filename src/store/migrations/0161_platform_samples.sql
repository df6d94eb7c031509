-- What transactions of tenants add to the samples of the platform, until it is added up. Nobody waits for such a row: one in
-- metric_sample would make all tenants wait for a transaction whose database worker hangs.
create table platform_sample (
  metric text not null,
  minute bigint not null,
  labels jsonb not null,
  value double precision not null,
  count bigint not null,
  min double precision not null,
  max double precision not null,
  last double precision not null
);

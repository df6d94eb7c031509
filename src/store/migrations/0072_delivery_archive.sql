-- What was said long ago, where Citus distributes alerts: it is three quarters of what deliveries take, and the coordinator keeps them
-- for 90 days. Elsewhere it stays empty, and messages stay where they are.
create table delivery_archive (
  tenant_id bigint not null,
  id bigint not null,
  created_at bigint not null,
  data jsonb not null,
  primary key (tenant_id, id)
);
create index delivery_archive_created on delivery_archive using brin (created_at);

-- The months of alerts that have ended and whose indexes were built again, or are.
create table rebuilt_month (
  name text primary key,
  started_at bigint not null,
  is_done boolean not null
);

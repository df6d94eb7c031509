-- The link of the first start, which makes the first administrator; at most one.
create table setup_link (
  hash bytea primary key,
  expired_at bigint not null
);

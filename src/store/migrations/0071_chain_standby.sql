-- The process that has read what is watched on a chain which another one follows, to go on with it at once. It only says who is
-- ready: the lease alone decides who follows.
create table chain_standby (
  chain_uid text primary key,
  process text not null,
  is_ready boolean not null,
  until timestamptz not null
);

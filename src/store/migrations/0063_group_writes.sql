-- What commits of chains have yet to write to shard groups, on a database whose alerts are distributed: the transaction that moves
-- a chain's cursor adds one row for each group, and the one that writes the alerts of the group deletes it. In order of id for
-- each chain and group; the rows of a group that cannot be written wait while those of others go on.
create table group_write (
  id bigint generated always as identity primary key,
  chain_uid text not null,
  shard_group int not null,
  writes json not null,
  findings int not null,
  -- Some of it takes back what earlier rows raise.
  retracts boolean not null,
  -- When the chain's transaction was committed.
  at bigint not null
);
create index group_write_order on group_write (chain_uid, shard_group, id);

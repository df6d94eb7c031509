-- Blocks whose traces were given up, so that an alert of such a block can say that what contracts did within it stays unseen.
create table unseen_block (
  chain_uid text not null,
  number bigint not null,
  hash text not null,
  reason text not null,
  at bigint not null,
  primary key (chain_uid, number)
);

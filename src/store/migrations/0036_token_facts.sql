-- What tokens say of themselves and does not change, such as their decimals: known for blocks whose state nodes have dropped.
create table token_fact (
  chain_uid text not null,
  address text not null,
  -- The data of the call, and what it returned.
  call text not null,
  result text not null,
  read_at bigint not null,
  primary key (chain_uid, address, call)
);

-- Chains that administrators add beside those of the API document. What is deleted stays, so that what is stored of it is still
-- understood, and so that its name never stands for another chain.
create table own_chain (
  uid text primary key,
  -- What tells its network from every other: the chain id, or what nodes of its family name it by.
  identity text not null,
  facts jsonb not null,
  status text not null check (status in ('ACTIVE', 'DELETED')),
  created_at bigint not null,
  updated_at bigint not null
);
create unique index own_chain_identity on own_chain (identity) where status = 'ACTIVE';

-- RPC endpoints that administrators add. Their addresses often hold access keys: they are sealed, and shown masked.
create table chain_endpoint (
  id bigint generated always as identity primary key,
  uid uuid not null unique,
  chain_uid text not null,
  name text,
  shown_url text not null,
  sealed_url bytea not null,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  created_at bigint not null,
  updated_at bigint not null
);

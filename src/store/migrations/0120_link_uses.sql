-- Links in messages that were used: each works once. A row goes when its link would have expired.
create table link_use (
  tenant_id bigint not null,
  code_hash bytea not null,
  used_at bigint not null,
  expires_at bigint not null,
  primary key (tenant_id, code_hash)
);
create index link_use_expiry on link_use (expires_at);

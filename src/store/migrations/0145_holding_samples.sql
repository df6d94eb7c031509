-- What contracts hold, as detectors saw it, in smallest units: one row of an asset for an hour, and below slot 0 one for ten minutes with alerts.
create table holding_sample (
  tenant_id bigint not null references tenant (id),
  contract_id bigint not null,
  asset text not null,
  slot bigint not null,
  timestamp bigint not null,
  chain_uid text not null,
  block_number bigint not null,
  symbol text not null,
  decimals smallint not null,
  units text not null,
  usd text,
  primary key (tenant_id, contract_id, asset, slot)
);
-- For blocks that leave the chain, and for rows that are too old.
create index holding_sample_block on holding_sample (chain_uid, block_number);
create index holding_sample_age on holding_sample (timestamp);

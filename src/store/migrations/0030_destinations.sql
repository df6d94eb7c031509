-- The address of a MESSENGER_B webhook is a credential: `value` and `messenger_b_uri` keep its origin, the box the whole.
alter table destination add column sealed_messenger_b_uri bytea;

-- An e-mail address gets nothing until whoever reads it has opened a link. Addresses that were there before count as confirmed.
alter table destination
  add column confirmed_at bigint,
  add column confirm_hash bytea,
  add column confirm_until bigint,
  add column confirm_mailed_at bigint;
update destination set confirmed_at = updated_at where type = 'EMAIL';
create index destination_confirm on destination (confirm_hash) where confirm_hash is not null;

-- Credentials of a configuration, each in a box that names its own place; the configuration shows [sealed] in their place.
alter table detector add column sealed_config jsonb;

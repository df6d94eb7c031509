-- Whose alerts a row is about: what a chain finds for them later waits behind it, even if their shards have moved to another
-- group in the meantime.
alter table group_write add column tenant_ids bigint[];

-- Hashes of 32 bytes are stored as bytes, and an eid that begins with its transaction's hash without it. Alerts from before keep
-- their texts.
alter table alert
  add column tx_hash_bytes bytea,
  add column block_hash_bytes bytea,
  add column eid_rest text,
  alter column eid drop not null;

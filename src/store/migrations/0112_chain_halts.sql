-- The block after which a chain was found silent, and when its tenants were alerted of it; null while blocks come.
alter table chain_cursor add column halted_after bigint, add column halted_at bigint;

-- Whether the holder of a chain holds the advisory lock of its presence as well. Where it did and the lock is free, the holder's
-- session has ended, and another process need not wait until the lease runs out.
alter table chain_cursor add column holder_present boolean not null default false;

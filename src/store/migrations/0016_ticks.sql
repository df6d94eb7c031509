-- Until when everything that is due by the clock was looked at, so that a restart leaves nothing out.
alter table chain_cursor add column ticked_at bigint;

alter table destination
  -- A failure that lies far behind says nothing about how long the receiver has been failing now.
  add column last_failed_at bigint,
  -- The receiver asked to be left alone until then.
  add column paused_until bigint,
  -- Secrets that were replaced, newest first, each of which signs until its own time is over.
  add column sealed_former_secrets bytea[] not null default '{}',
  add column former_secrets_until bigint[] not null default '{}';
update destination set sealed_former_secrets = array[sealed_old_secret], former_secrets_until = array[old_secret_until]
  where sealed_old_secret is not null and old_secret_until is not null;
alter table destination drop column sealed_old_secret, drop column old_secret_until;

-- What the live stream tells, in the order of `seq`. The transaction's number no longer says where an event stands, because
-- every open transaction of the whole server would hold the stream back; it is the same for all events from here on and
-- behind those of all events so far, so that readers go on where they were.
do $$
begin
  lock table alert_event in access exclusive mode;
  execute format('alter table alert_event alter column xid set default %L', pg_snapshot_xmax(pg_current_snapshot()));
end $$;

-- Whoever writes events first marks, until the end of its transaction, behind which number they will stand: a lock that
-- nobody waits for, with the number in its key.
create function mark_alert_event() returns trigger language plpgsql as $$
declare
  place bigint;
begin
  if coalesce(current_setting('vigil.alert_event', true), '') = '' then
    select case when is_called then last_value else last_value - 1 end into place from alert_event_seq_seq;
    perform pg_advisory_xact_lock_shared((5654855::bigint << 40) | place);
    perform set_config('vigil.alert_event', 'marked', true);
  end if;
  return null;
end $$;
create trigger alert_event_marked before insert on alert_event
  for each statement execute function mark_alert_event();

-- Up to which number nothing can come any more, for a statement that follows. A number that was given out when `given` was
-- read had its mark before; a mark that is gone when the marks are read belongs to a transaction that has ended.
create function settled_alert_event() returns bigint language plpgsql as $$
declare
  given bigint;
  marked bigint;
begin
  select case when is_called then last_value else last_value - 1 end into given from alert_event_seq_seq;
  select min(((classid::bigint & 255) << 32) | objid::bigint) into marked from pg_locks
    where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 8 = 5654855
      and database = (select oid from pg_database where datname = current_database());
  return least(given, marked);
end $$;

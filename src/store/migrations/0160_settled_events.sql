-- A transaction that Citus ends keeps its locks until all workers have answered. Its mark counts only until it has ended: its
-- events are there from then on, or never will be, and a worker that hangs stops no stream of other tenants.
create or replace function settled_alert_event()
  returns bigint
  language plpgsql
  as $$
declare
  given bigint;
  marks bigint[];
  transactions text[];
  next bigint;
begin
  select case when is_called then last_value else last_value - 1 end into given from alert_event_seq_seq;
  -- Each mark with the ids of its transaction, subtransactions included; none before its first change.
  select array_agg(place), array_agg(ids) into marks, transactions from (
    select min(((classid::bigint & 255) << 32) | objid::bigint)
        filter (where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 8 = 5654855
          and database = (select oid from pg_database where datname = current_database())) as place,
      string_agg(transactionid::text, ' ')
        filter (where locktype = 'transactionid' and mode = 'ExclusiveLock' and granted) as ids
    from pg_locks where locktype in ('advisory', 'transactionid') group by virtualtransaction) l
  where place < given;
  if marks is null then
    return given;
  end if;
  -- A statement of its own, whose snapshot is newer than the locks.
  next := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  return least(given, (
    select min(m.place) from unnest(marks, transactions) m(place, ids)
    where not coalesce((
      -- An id has 32 bits; one that is newer than the snapshot has not ended for it.
      select bool_and(case when age between 1 and 2147483647
        then pg_visible_in_snapshot((next - age)::text::xid8, pg_current_snapshot()) else false end)
      from unnest(string_to_array(m.ids, ' ')) id, lateral (select (next - id::bigint) & 4294967295 as age) a), false)));
end $$;

-- What is new to the index of terms is now sorted in beside the transactions that raise alerts, not by every fourth of them
-- at its own expense; the longer list is for when that is late. Months to come get the same when they are made.
do $$
declare
  part regclass;
begin
  for part in select inhrelid from pg_inherits where inhparent = 'alert_terms'::regclass loop
    execute format('alter index %s set (gin_pending_list_limit = 4096)', part);
  end loop;
end $$;

-- The present quarter of an hour and the present day are counted up again and again: with some room in every page that
-- touches neither another page nor the index.
alter table alert_rollup set (fillfactor = 85);

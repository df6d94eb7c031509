-- More alerts wait to be sorted into the index of terms while they come fast; their transactions must still not do it themselves.
-- Months to come get the same when they are made.
do $$
declare
  part regclass;
begin
  for part in select inhrelid from pg_inherits where inhparent = 'alert_terms'::regclass loop
    execute format('alter index %s set (gin_pending_list_limit = 16384)', part);
  end loop;
end $$;

-- Read by nobody but the process that writes it, so that PostgreSQL need not read it as JSON for each block. Processes of earlier
-- versions still write it; where they would write what a newer one has left, they fail and leave it to that. A new type would be
-- compressed again.
alter table group_write
  alter column writes type text using writes::text,
  alter column writes set storage external;

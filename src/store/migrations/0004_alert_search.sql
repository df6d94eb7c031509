-- New alerts wait in a list of their index before they are sorted in. A short one keeps searches and the slowest batch
-- fast, and leaves less empty space behind in every month.
drop index alert_terms;
create index alert_terms on alert using gin (terms) with (gin_pending_list_limit = 128);

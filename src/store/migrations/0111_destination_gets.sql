-- What people call a destination, and what it gets beside what is bound to it: [{minSeverity, query, projectId, contractId}].
alter table destination add column name text;
alter table destination add column gets jsonb not null default '[]';

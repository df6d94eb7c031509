-- view_tenant_ids is what the owner offers; a tenant sees the project once it has accepted. Shares of before count as accepted.
alter table project add column accepted_tenant_ids bigint[] not null default '{}',
  add column declined_tenant_ids bigint[] not null default '{}';
update project set accepted_tenant_ids = view_tenant_ids where view_tenant_ids <> '{}';
create index project_accepted on project using gin (accepted_tenant_ids);

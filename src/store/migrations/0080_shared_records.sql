-- Contracts and license periods of a project that another tenant shares or licenses are found without the tenant that they belong to,
-- and licenses by the organisation that sells them.
create index contract_of_project on contract (project_id);
create index license_instance_meta_of_instance on license_instance_meta (license_instance_id);
create index license_organisation on license (organisation_id);
-- Every search asks who shares something; with a pending list each of them would read all projects that were changed lately.
alter index project_accepted set (fastupdate = off);

-- Values that hardly two alerts share have coarse hashes from now on. Where there are alerts already, these keep theirs.
update alert_terms_state set version = 4, partition = null, tenant_id = null, timestamp = null, uid = null
where not exists (select from alert);

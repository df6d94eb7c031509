-- Alerts get new terms again, from the first one on; where there is none, all have them.
update alert_terms_state set version = case when exists (select from alert) then version else 2 end,
  partition = null, tenant_id = null, timestamp = null, uid = null;

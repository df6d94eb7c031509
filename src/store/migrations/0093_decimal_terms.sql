-- Texts that are plain decimal numbers have the terms of numbers from now on. Stored alerts get them in the background, from the
-- first alert on; where there is none, all have them.
update alert_terms_state set version = case when exists (select from alert) then version else 5 end,
  partition = null, tenant_id = null, timestamp = null, uid = null;

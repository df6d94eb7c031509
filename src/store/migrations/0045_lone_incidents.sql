-- An incident of one alert is read from that alert, whose uid it has; a row of its own is written when it grows or when
-- someone changes its state. `incident_at` is when an alert began an incident.
alter table alert add column incident_at bigint;
create index alert_incident on alert (tenant_id, timestamp desc) where incident_at is not null;
-- Follows from the uid now.
alter table incident alter column id drop identity;

-- Keys are only ever compared, so a digest of the tenant and the key is enough.
drop index incident_key_age;
alter table incident_key drop constraint incident_key_pkey;
alter table incident_key alter column key type uuid
  using encode(substring(sha256(convert_to(tenant_id || ' ' || key, 'UTF8')) from 1 for 16), 'hex')::uuid;
alter table incident_key drop column tenant_id;
alter table incident_key add primary key (key);
create index incident_key_age on incident_key using brin (last_at);

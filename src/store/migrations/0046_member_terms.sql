-- The version of the terms that all alerts have, and how far they are being given newer ones: partition by partition, by key.
create table alert_terms_state (
  version integer not null,
  partition text,
  tenant_id bigint,
  timestamp bigint,
  uid uuid
);
insert into alert_terms_state (version) select case when exists (select from alert) then 0 else 1 end;

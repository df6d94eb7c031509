-- What people do about the alerts of a detector or trigger, in the words of the tenant.
alter table detector add column runbook_url text, add column next_steps text;
alter table "trigger" add column runbook_url text, add column next_steps text;

-- When the next step was planned, by which a clock that went back is noticed, and when a chain that was snoozed calls again.
alter table escalation add column planned_at bigint not null default 0, add column resumes_at bigint;
create index escalation_planned on escalation (planned_at) where state = 'RUNNING';
create index escalation_resumes on escalation (resumes_at) where resumes_at is not null;

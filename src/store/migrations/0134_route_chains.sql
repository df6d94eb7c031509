-- The escalation chain that a route runs for the incidents of its alerts.
alter table route add column escalation_chain_id bigint references escalation_chain (id);
create index route_escalation_chain on route (escalation_chain_id) where escalation_chain_id is not null;

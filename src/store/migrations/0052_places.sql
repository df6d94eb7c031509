-- Chains without nonces: what was signed there spends inputs that no other call may spend, or expires at a block or a time.
alter table action_intent add column inputs text[];
alter table action_transaction add column valid_until bigint;

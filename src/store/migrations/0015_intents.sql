-- The chain of the alert, by whose depth an intent waits; null where it is the chain of the action.
alter table action_intent add column alert_chain_uid text;
update action_intent i set alert_chain_uid = t.chain_uid from alert t
where i.state = 'WAITING' and t.tenant_id = i.tenant_id and t.timestamp = i.alert_timestamp and t.uid = i.alert_uid
  and t.chain_uid <> i.chain_uid;

-- How often the tenant's actions were halted, and how often they had been when the intent was made: one from before the
-- last halt is never fired, however the two overlapped.
alter table tenant add column halt_count integer not null default 0;
alter table action_intent add column halt_count integer not null default 0;

-- Two test networks have two names each; a wallet has one lane of numbers on a network, whatever it is called.
insert into nonce_lane (chain_uid, address, next_nonce)
select replace(chain_uid, 'ethereum_', ''), address, next_nonce from nonce_lane
where chain_uid in ('ethereum_sepolia', 'ethereum_holesky')
on conflict (chain_uid, address) do update
  set next_nonce = greatest(nonce_lane.next_nonce, excluded.next_nonce), behind_since = null;
delete from nonce_lane where chain_uid in ('ethereum_sepolia', 'ethereum_holesky');

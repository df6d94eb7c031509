-- Whether what an action calls goes before the other calls of its tenant; null: as severe as its alert is.
alter table action add column urgent boolean;
alter table action_intent add column urgent boolean not null default false;
update action_intent set urgent = fire_at = 'pending' or severity in ('HIGH', 'CRITICAL') where state = 'WAITING';

-- The intents of an action that wait, the most severe first: each lane of a wallet takes turns between its actions.
drop index action_intent_waiting;
create index action_intent_waiting on action_intent (tenant_id, action_id, chain_uid, wallet_id, urgent,
  array_position(array['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'], severity) desc, id) where state = 'WAITING';

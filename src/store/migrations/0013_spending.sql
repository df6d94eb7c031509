-- What a wallet has spent of late, and what of it is under way, by the wallet and by its address.
drop index action_intent_wallet;
create index action_intent_spent on action_intent (tenant_id, wallet_id, updated_at) where signed_at is not null;
create index action_intent_spending on action_intent (tenant_id, wallet_id) where state in ('SIGNED', 'SUBMITTED');
create index action_intent_lane on action_intent (chain_uid, address, nonce) where state in ('SIGNED', 'SUBMITTED');

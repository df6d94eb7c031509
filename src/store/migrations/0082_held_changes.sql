-- What a held request would change, as it was shown to whoever approves it; null of requests from before this was kept.
alter table approval add column changes jsonb;
create index wallet_guarded on wallet (tenant_id) where require_approval and status <> 'DELETED';

-- The block from which on a detector or trigger watches: the newest one that was processed when it was created, enabled or
-- configured. A watcher that hears of it later shows it the blocks since. Of a contract: the newest block of its chain when
-- it was added, as far as a node said so.
alter table contract add column watched_from bigint;
alter table detector add column watched_from bigint;
alter table "trigger" add column watched_from bigint;

create function set_watched_from() returns trigger language plpgsql as $$
begin
  new.watched_from := (
    select coalesce(k.processed, c.watched_from) from contract c left join chain_cursor k on k.chain_uid = c.chain_uid
    where c.tenant_id = new.tenant_id and c.id = new.contract_id
  );
  return new;
end $$;
create trigger detector_created before insert on detector for each row execute function set_watched_from();
create trigger detector_changed before update on detector for each row
  when (old.status <> new.status or old.config <> new.config or old.sealed_config is distinct from new.sealed_config)
  execute function set_watched_from();
create trigger trigger_created before insert on "trigger" for each row execute function set_watched_from();
create trigger trigger_changed before update on "trigger" for each row
  when (old.status <> new.status or old.params <> new.params) execute function set_watched_from();

create function set_contract_watched_from() returns trigger language plpgsql as $$
begin
  new.watched_from := coalesce((select processed from chain_cursor where chain_uid = new.chain_uid), new.watched_from);
  return new;
end $$;
create trigger contract_changed before update on contract for each row when (old.status <> new.status)
  execute function set_contract_watched_from();

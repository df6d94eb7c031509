-- Mails to people who are no destination: invites, notices to managers. Written in the transaction of what they tell of;
-- the rows are the queue. What a mail says may carry a secret, so it is sealed, and forgotten once the mail is sent.
create table mail_outbox (
  uid uuid primary key,
  tenant_id bigint,
  kind text not null,
  to_address text not null,
  sealed_data bytea,
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'DEAD')),
  attempts integer not null default 0,
  next_attempt_at bigint not null,
  lease_until timestamptz,
  created_at bigint not null,
  updated_at bigint not null,
  last_status integer,
  last_error text
);
create index mail_outbox_due on mail_outbox (next_attempt_at) where state = 'PENDING';

-- When the bot last heard something: after a week of silence its messages are numbered anew.
alter table messenger_offset add column updated_at bigint not null default 0;
-- Codes are looked up by their digest, which tells nothing about how near a guess was.
create index destination_bind on destination (md5(uid)) where type = 'MESSENGER_A';
create index destination_chat on destination (messenger_a_chat_id) where type = 'MESSENGER_A';

create index subscription_end on subscription (expiration_date) where status = 'ACTIVE';

-- A subscription that is bought, extended or ended decides whether the tenant's contracts are watched.
create function notify_watch_tenant() returns trigger language plpgsql as $$
begin
  perform pg_notify('vigil_watch', 'tenant ' || coalesce(new.tenant_id, old.tenant_id));
  return null;
end $$;
create trigger subscription_watch after insert or update or delete on subscription
  for each row execute function notify_watch_tenant();

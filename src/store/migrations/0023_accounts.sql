-- E-mail addresses are stored in lower case.
update member set email = lower(email) where email <> lower(email);
update invite set email = lower(email) where email <> lower(email);
update destination set value = lower(value) where type = 'EMAIL' and value <> lower(value);

-- Unique within a tenant only: an address that is taken elsewhere must not be told from a free one.
drop index member_email;
create unique index member_email on member (coalesce(tenant_id, 0), email) where status <> 'DELETED';
create index member_login on member (email) where status <> 'DELETED';

-- An invite is worth what its maker may still do: a user (through a session) or a token without one.
alter table invite add column maker_id bigint references member (id), add column maker_token_id bigint references access_token (id);
-- One open invite for an address in a tenant: the newest.
update invite i set status = 'DELETED' where status = 'ACTIVE' and accepted_at is null and exists (
  select 1 from invite n where n.tenant_id is not distinct from i.tenant_id and n.email = i.email and n.id > i.id
    and n.status = 'ACTIVE' and n.accepted_at is null);
create unique index invite_open on invite (coalesce(tenant_id, 0), email) where status = 'ACTIVE' and accepted_at is null;

-- A session is a family of tokens, each refreshed from the one before; its id is that of the first.
alter table access_token add column family_id bigint, add column opened_at bigint, add column address text;
update access_token set family_id = id, opened_at = created_at where kind = 'SESSION';
create index access_token_family on access_token (family_id) where family_id is not null;

-- The users who alone may approve what touches the wallet; null for every other user of the tenant.
alter table wallet add column approvers bigint[];

-- Who made a user, last set the user's password, and last raised the user's roles, if that was someone else.
-- `by_id` is null where a key did it that belongs to no user, or the operator of the platform.
create table member_sponsor (
  member_id bigint not null references member (id),
  deed text not null check (deed in ('MADE', 'RESET', 'PROMOTED')),
  by_id bigint references member (id),
  by_operator boolean not null default false,
  at bigint not null,
  primary key (member_id, deed)
);
insert into member_sponsor (member_id, deed, by_id, at)
  select distinct on (m.id) m.id, 'MADE', i.maker_id, m.created_at from member m
  join invite i on i.tenant_id is not distinct from m.tenant_id and i.email = m.email
    and i.accepted_at = m.created_at and i.maker_id is not null
  order by m.id, i.id;

-- Browsers in which users have signed in, by a digest of what their device cookie carries.
create table member_device (
  member_id bigint not null references member (id),
  device bytea not null,
  seen_at bigint not null,
  primary key (member_id, device)
);
create index member_device_seen on member_device (seen_at);

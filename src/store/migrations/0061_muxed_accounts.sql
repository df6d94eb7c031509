-- Stellar contracts and labels that were registered by a muxed account (M…) are compared by the account behind it (G…).
create function stellar_account(muxed text) returns text language plpgsql immutable as $$
declare
  alphabet constant text := 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  bits varbit := ''::varbit;
  body varbit;
  crc int := 0;
  account text := '';
begin
  for place in 1..length(muxed) loop
    bits := bits || (strpos(alphabet, substr(muxed, place, 1)) - 1)::bit(5);
  end loop;
  -- The version of an account, and the 32 bytes of its key, which come before the number of the muxed one.
  body := B'00110000' || substring(bits from 9 for 256);
  for byte in 0..32 loop
    crc := crc # (substring(body from byte * 8 + 1 for 8)::bit(8)::int << 8);
    for bit in 1..8 loop
      crc := case when crc & 32768 <> 0 then ((crc << 1) # 4129) & 65535 else (crc << 1) & 65535 end;
    end loop;
  end loop;
  body := body || (crc & 255)::bit(8) || (crc >> 8)::bit(8);
  for place in 0..55 loop
    account := account || substr(alphabet, substring(body from place * 5 + 1 for 5)::bit(5)::int + 1, 1);
  end loop;
  return account;
end
$$;
-- Of several in a project that are one account, one gets its form; the others stay as they are.
with muxed as (
  select tenant_id, id, project_id, stellar_account(canonical_address) as account,
    row_number() over (partition by tenant_id, project_id, stellar_account(canonical_address),
      status = 'DELETED' order by id) as rank, status
  from contract where chain_uid = 'stellar' and canonical_address ~ '^M[A-Z2-7]{68}$')
update contract c set canonical_address = m.account from muxed m
  where c.tenant_id = m.tenant_id and c.id = m.id and (m.status = 'DELETED' or (m.rank = 1 and not exists (
    select from contract o where o.tenant_id = m.tenant_id and o.project_id = m.project_id and o.chain_uid = 'stellar'
      and o.canonical_address = m.account and o.status <> 'DELETED')));
with muxed as (
  select id, tenant_id, source, status, stellar_account(address) as account,
    row_number() over (partition by tenant_id, source, stellar_account(address), status = 'DELETED' order by id) as rank
  from address_label where chain_uid = 'stellar' and address ~ '^M[A-Z2-7]{68}$')
update address_label l set address = m.account,
    address_hash = ('x' || left(encode(sha256(m.account::bytea), 'hex'), 16))::bit(64)::bigint
  from muxed m where l.id = m.id and (m.status = 'DELETED' or (m.rank = 1 and not exists (
    select from address_label o where o.address = m.account and o.chain_uid = 'stellar' and o.status <> 'DELETED'
      and o.tenant_id is not distinct from m.tenant_id and o.source is not distinct from m.source)));
drop function stellar_account(text);

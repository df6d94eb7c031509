-- Tron contracts are compared by the 20 bytes that logs and calls name, no longer by the text with a checksum.
create function tron_account(shown text) returns text language plpgsql immutable as $$
declare
  number numeric := 0;
  digits text := '';
begin
  for place in 1..length(shown) loop
    number := number * 58
      + strpos('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', substr(shown, place, 1)) - 1;
  end loop;
  -- One byte for the network, 20 of the account, four of the checksum.
  number := mod(div(number, 4294967296), 1461501637330902918203684832716283019655932542976);
  for place in 1..40 loop
    digits := substr('0123456789abcdef', mod(number, 16)::int + 1, 1) || digits;
    number := div(number, 16);
  end loop;
  return '0x' || digits;
end
$$;
update contract set canonical_address = tron_account(canonical_address)
  where chain_uid = 'tron' and canonical_address like 'T%';
drop function tron_account(text);

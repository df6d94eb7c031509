-- Counts of alerts per contract (0: the whole tenant) and UTC day, one row each, kept in the alerts' own transaction. A number
-- counts the alerts of one group and severity in one quarter of an hour: `count * 4096 + quarter * 32 + cell`. New numbers
-- are put before `recent`; when these become many, they are summed up into `quarters`, and into `totals` for the whole day
-- (quarter 0). A retracted alert is subtracted.
alter table alert_rollup rename to alert_rollup_unpacked;
alter table alert_rollup_unpacked rename constraint alert_rollup_pkey to alert_rollup_unpacked_pkey;
create table alert_rollup (
  tenant_id bigint not null,
  contract_id bigint not null,
  day integer not null,
  totals int8[],
  quarters int8[],
  recent int4[] not null check (array_position(recent, null) is null),
  primary key (tenant_id, contract_id, day)
) with (fillfactor = 85);

insert into alert_rollup (tenant_id, contract_id, day, totals, quarters, recent)
select tenant_id, contract_id, day,
  case when is_long then array(
    select sum(number >> 12) * 4096 + (number & 31) from unnest(numbers) number group by number & 31 order by number & 31) end,
  case when is_long then numbers end,
  case when is_long then '{}' else numbers::int4[] end
from (
  select tenant_id, contract_id, day, numbers, cardinality(numbers) > 48 or max_count > 100000 as is_long
  from (
    select tenant_id, contract_id, (start / 86400000)::int as day, max(abs(count)) as max_count,
      array_agg(count::bigint * 4096 + start % 86400000 / 900000 * 32 + n - 1 order by start, n) as numbers
    from alert_rollup_unpacked cross join lateral unnest(counts) with ordinality c(count, n)
    where width_ms = 900000 and count <> 0
    group by 1, 2, 3) days) packed;

drop table alert_rollup_unpacked;

import { expect, it } from 'vitest';
import { readTenants } from './readTenants.ts';

it.each([
  ['select from alert t where t.timestamp = $1 and t.tenant_id = $2::bigint', [5, 7], [7]],
  ['select from alert t where t.tenant_id = any ($1::bigint[])', [[7, 8]], [7, 8]],
  [
    'select row from run_on_shards($1, $2::bigint[], $3, $4, $5, $6) row',
    [7, [7, 8], 'k', 's', 'v', 'm'],
    [7],
  ],
  ['select row from run_on_shard($1, $2, $3, variadic array[$4]::text[]) row', [7, null, 'select', '3'], [7]],
  ['insert into external_finding (tenant_id, uid) select $1::bigint, u from unnest($2) u', [7, []], [7]],
  [
    "select master_run_on_worker(a, b, c, false) from n where id = get_shard_id_for_distribution_column('alert', $1)",
    [7],
    [7],
  ],
  ['select run_command_on_workers($1)', ['select 1'], 'all'],
  ['create table alert_2026_01 partition of alert for values from (1) to (2)', [], 'all'],
  ['drop table alert_2026_01', [], 'all'],
  ['select from alert t where t.uid = $1', ['u'], 'all'],
  ['select from alert_event e join incident i on i.uid = e.uid where e.id = $1', [1], 'all'],
])('finds the tenants of: %s', (text, values, expected) => {
  expect(readTenants({ text, values })).toEqual(expected);
});

it('leaves out statements that no worker has a part in', () => {
  expect(readTenants({ text: 'select from contract where tenant_id = $1', values: [7] })).toBeUndefined();
  expect(readTenants({ text: 'select from alert_event where tenant_id = $1', values: [7] })).toBeUndefined();
});

import { expect, it } from 'vitest';
import { empty, render, sql } from '../../../lib/sql.ts';
import { forRouting, toShardText } from './toShardText.ts';

const shardIds = { alert: 102_008 };

it('looks up nothing by a tenant that only leads to its worker', () => {
  const statement = sql`select from alert t where t.terms && ${'{1}'}${forRouting(sql` and t.tenant_id = ${7}`)} limit 9`;
  expect(toShardText(render(statement).text, shardIds)).toBe(
    'select from alert_102008 t where t.terms && $1 and t.tenant_id + 0 = $2 limit 9',
  );
});

it('leaves other conditions on the tenant, by which indexes are read', () => {
  const text = 'select from alert t where t.tenant_id = $1 and t.contract_id = $2';
  expect(toShardText(text, shardIds)).toBe(text.replace('alert', 'alert_102008'));
  expect(forRouting(empty)).toBe(empty);
});

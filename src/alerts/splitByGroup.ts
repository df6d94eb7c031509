import { getOrThrow } from '../lib/getOrThrow.ts';
import { groupBy } from '../lib/groupBy.ts';
import type { AlertWrite } from '../model/alertWrite.ts';
import { type FindGroups, findTenantsOfChain, tenantsOf } from '../store/alerts/groupWrites.ts';
import type { Db } from '../store/db/db.ts';

/** The part of each shard group, in the same order. */
export async function splitByGroup(
  db: Db,
  findGroups: FindGroups,
  chainUid: string,
  writes: readonly AlertWrite[],
): Promise<Map<number, AlertWrite[]>> {
  const hasDropped = writes.some(({ type }) => type === 'retractBlocks');
  // Alerts of dropped blocks may be any tenant's that has or had a contract on the chain.
  const concerned = hasDropped ? await findTenantsOfChain(db, chainUid) : writes.flatMap(tenantsOf);
  const tenantIds = new Set([...concerned, ...writes.flatMap(tenantsOf)]);
  const groupOf = await findGroups(db, tenantIds);
  const split = new Map<number, AlertWrite[]>();
  const add = (group: number, write: AlertWrite) => split.set(group, [...(split.get(group) ?? []), write]);
  const byGroup = <T extends { tenantId: number }>(items: readonly T[]) =>
    groupBy(items, ({ tenantId }) => getOrThrow(groupOf, tenantId));
  for (const write of writes) {
    if (write.type === 'raise')
      for (const [group, findings] of byGroup(write.findings)) add(group, { ...write, findings });
    else if (write.type === 'retractPending')
      for (const [group, alerts] of byGroup(write.alerts)) add(group, { ...write, alerts });
    else
      for (const [group, tenants] of byGroup(concerned.map((tenantId) => ({ tenantId }))))
        add(group, { ...write, tenantIds: tenants.map(({ tenantId }) => tenantId) });
  }
  return split;
}

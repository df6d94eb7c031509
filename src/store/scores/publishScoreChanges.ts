import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { insertDeliveries } from '../destinations/insertDeliveries.ts';
import { selectDocument } from '../search/searchDocuments.ts';
import type { Lane } from './lanes.ts';
import { receivesScores } from './readLane.ts';
import { scoreTable } from './scoreTable.ts';

const members = selectDocument(scoreTable, [...scoreTable.columns.keys()]);

/** Inserts the deliveries of score changes from index `i` on. */
export async function publishScoreChanges(
  tx: Db,
  lane: Lane,
  { i, since, now }: { i: number; since: number; now: number },
): Promise<void> {
  const destinations = await tx.prepared<{ id: number }>(
    sql`select x.id from destination x where x.tenant_id = ${lane.tenantId} and ${receivesScores} order by x.id`,
  );
  if (destinations.length === 0) return;
  const changes = await tx.prepared<Record<string, unknown>>(
    sql`select ${members}, json_build_object('id', p.id, 'name', p.name) as project,
        json_build_object('id', l.id, 'name', l.name, 'version', l.version) as license
      from score_change t
      join project p on p.tenant_id = t.tenant_id and p.id = t.project_id
      join license l on l.id = t.license_id
      where t.tenant_id = ${lane.tenantId} and t.license_instance_id = ${lane.instanceId} and t.i >= ${i}
        and t.timestamp >= ${since} and t.score_change <> 0 order by t.i`,
  );
  const destinationIds = destinations.map(({ id }) => id);
  const messages = changes.map((data) => ({
    tenantId: lane.tenantId,
    type: 'score.changed' as const,
    data,
    destinationIds,
  }));
  await insertDeliveries(tx, messages, now);
}

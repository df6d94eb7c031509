import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findShardGroups, localGroup } from '../../src/store/citus/findShardGroups.ts';
import { openStore, type Store } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';

const missing = await whyNoCitus();

describe('on Citus', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let citus: Citus;
  let store: Store;

  beforeAll(async () => {
    if (missing) return;
    workspace = await createWorkspace();
    citus = await startCitus(workspace.folder);
    await migrate(citus.coordinator.connection);
    store = openStore(citus.coordinator.connection, () => {});
  });

  afterAll(async () => {
    await store?.close();
    await workspace?.remove();
  });

  it('finds the worker of each tenant, and one group where nothing is distributed', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => i + 1);
    const fresh = openStore(citus.coordinator.connection, () => {});
    expect(new Set((await findShardGroups(fresh, ids)).values())).toEqual(new Set([localGroup]));
    await citus.coordinator.ask(
      "select create_distributed_table('alert', 'tenant_id', colocate_with => 'none', shard_count => 4)",
    );
    const groups = await findShardGroups(store, ids);
    expect([...groups.keys()]).toEqual(expect.arrayContaining(ids));
    expect(new Set(groups.values())).toEqual(new Set([1, 2]));
    for (const id of ids.slice(0, 10)) {
      const [row] = await citus.coordinator.ask(
        `select groupid from pg_dist_placement where shardid = get_shard_id_for_distribution_column('alert', ${id})`,
      );
      expect(groups.get(id)).toBe(row?.groupid);
    }
    await fresh.close();
  });
});

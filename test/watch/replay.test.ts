import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { render, sql } from '../../src/lib/sql.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { blockHashSql, eidSql } from '../../src/store/search/documents/packedHashes.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { isWritten } from '../../testing/isWritten.ts';
import { sized } from '../../testing/proveSize.ts';
import type { WireLog } from '../../testing/simulator/buildBlock.ts';
import { createSimChain, type SimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { until } from '../../testing/until.ts';
import { detectorMaker } from './support/detectorMaker.ts';
import { randomBlock, token, worldState } from './support/watchedWorld.ts';

const blockCount = sized(200, 10_000);
/** How often it is killed in each pass. */
const kills = sized([1, 1], [4, 4, 4, 4, 4]);

describe('kill -9 while a chain is followed', () => {
  const random = createRandom('replay');
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let db: Client;
  beforeAll(async () => {
    workspace = await createWorkspace();
    database = await createTestDatabase('migrated');
    db = new Client(database.config);
    await db.connect();
  });
  afterAll(async () => {
    await workspace.remove();
    await db.end();
    await database.drop();
  });

  it(`no alert is lost and none is there twice after ${blockCount} blocks were gone through ${kills.length} times, killed ${kills.join(' and ')} times`, async () => {
    const chain = createSimChain({ chainId: 31337, seed: random.seed });
    chain.extend(Array.from({ length: blockCount }, () => randomBlock(random)));
    const simulator = await startSimulator({ chain, state: worldState, faults: { dead: true } });
    const env = {
      DATABASE_URL: database.url,
      VIGIL_ADMIN_TOKEN: 'a-token-of-the-environment-0123456789',
      VIGIL_RPC_ANVIL: simulator.url,
      VIGIL_CHAIN_ANVIL_START_BLOCK: '1',
    };
    const serve = () => workspace.serve(workspace.folder('data'), env);
    const processed = async (): Promise<number> => {
      const { rows } = await db.query<{ processed: string | null }>('select processed from chain_cursor');
      return Number(rows[0]?.processed ?? 0);
    };
    let vigil = await serve();
    await db.query('update plan set detector_rate_limit = 1000000000');
    const ids = await detectorMaker(vigil, token, [
      ['ownership_change', {}],
      ['large_transfer', { threshold: '900000' }],
      ['custom_event', { signature: 'Transfer(address indexed from, address indexed to, uint256 value)' }],
    ]);
    const expected = model(chain, ids);
    // Nothing is to be seen before everything is there to see it: a new process knows what was made, a running one learns of it.
    await vigil.stop();
    vigil = await serve();
    simulator.setFaults({});
    const moments: number[] = [];
    try {
      for (const [pass, count] of kills.entries()) {
        for (let n = 0; n < count; n++) {
          const from = await processed();
          const moment = from + random.below(Math.ceil((blockCount - from) / (count - n)));
          await until(async () => (await processed()) >= moment);
          await sleep(random.below(30));
          await vigil.stop('SIGKILL');
          moments.push(await processed());
          // The lease has tests of its own; waiting for its end would only take time here.
          await db.query('update chain_cursor set lease_until = now()');
          vigil = await serve();
        }
        const store = openStore(database.config, () => {});
        await until(async () => (await processed()) === blockCount && isWritten(store, 'anvil'), 600_000);
        await vigil.stop('SIGKILL');
        const { rows } = await db.query<{ key: string }>(
          render(
            sql`select detector_id || ' ' || ${blockHashSql} || ' ' || ${eidSql} as key from alert t order by key`,
          ).text,
        );
        expect(rows.map(({ key }) => key)).toEqual(expected);
        expect(await verifyRollups(store)).toEqual([]);
        await store.close();
        await db.query('delete from chain_cursor; delete from chain_block; delete from watch_undo');
        if (pass + 1 < kills.length) vigil = await serve();
      }
      console.log(
        `SEED=${random.seed}: killed at blocks ${moments.join(', ')}; ${expected.length} alerts each time`,
      );
    } finally {
      await simulator.stop();
    }
  }, 1_800_000);
});

/** What must be found, told from the blocks alone. */
function model(chain: SimChain, [ownership, large, custom]: readonly number[]): string[] {
  return chain.blocks
    .flatMap(({ hash, logsJson }) =>
      (JSON.parse(String(logsJson)) as WireLog[]).flatMap(({ topics, data, transactionHash, logIndex }) => {
        const finders =
          topics[0] === '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0'
            ? [ownership]
            : BigInt(data) >= 900_000n * 10n ** 18n
              ? [large, custom]
              : [custom];
        return finders.map((id) => `${id} ${hash} ${transactionHash}-${Number(logIndex)}`);
      }),
    )
    .sort();
}

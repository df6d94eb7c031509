import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { render } from '../../src/lib/sql.ts';
import { txHashSql } from '../../src/store/search/documents/packedHashes.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { untilWritten } from '../../testing/isWritten.ts';
import { isFull, sized } from '../../testing/proveSize.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { startTraceProxy, type TraceStep } from '../../testing/startTraceProxy.ts';
import { until } from '../../testing/until.ts';
import { detectorMaker } from '../watch/support/detectorMaker.ts';

const rounds = Number(process.env.PROVE_ROUNDS ?? sized(1, 5));
const ether = 10n ** 18n;
const txHash = render(txHashSql).text;

describe('kill -9 while inner calls are evaluated', () => {
  const random = createRandom('trace crashes');
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let anvil: Anvil;
  let node: Awaited<ReturnType<typeof startTraceProxy>>;
  let client: Client;
  let vigil: Vigil;
  let vault: Contract;
  let thief: Contract;

  beforeAll(async () => {
    [workspace, database, anvil] = await Promise.all([
      createWorkspace(),
      createTestDatabase('migrated'),
      startAnvil(),
    ]);
    node = await startTraceProxy(anvil.url);
    client = new Client(database.config);
    await client.connect();
    vault = await anvil.deploy(artifacts.SilentVault);
    thief = await anvil.deploy(artifacts.Thief, vault.address);
    vigil = await serve();
    await detectorMaker(vigil, vault.address, [
      ['reentrancy', {}],
      ['drain', {}],
    ]);
    await anvil.mine();
    await isWatching();
  });
  afterAll(async () => {
    await vigil?.stop();
    await workspace?.remove();
    await client?.end();
    await database?.drop();
    await node?.stop();
    await anvil?.stop();
  });

  const serve = () =>
    workspace.serve(workspace.folder('data'), {
      DATABASE_URL: database.url,
      VIGIL_ADMIN_TOKEN: 'a-token-of-the-environment-0123456789',
      VIGIL_RPC_ANVIL: node.url,
    });
  const rows = async (text: string, ...values: unknown[]) => (await client.query(text, values)).rows;
  const isWatching = async () => {
    const height = Number(await anvil.blockNumber());
    await until(
      async () => (await rows('select 1 from chain_cursor where processed >= $1', height)).length > 0,
    );
  };
  const kill = () => void process.kill(vigil.pid, 'SIGKILL');

  /** Takes all from the vault by inner calls, without a log. */
  async function attack(): Promise<string> {
    const [, , attacker] = anvil.accounts;
    await anvil.setBalance(vault.address, 5n * ether);
    return (await thief.send({ from: attacker, value: ether }, 'attack')).transactionHash;
  }

  /** Kills when the node comes to the step. */
  const atStep = (step: TraceStep) => async () => {
    node.onStep = (reached) => {
      if (reached !== step) return;
      node.onStep = () => {};
      kill();
    };
    const hash = await attack();
    await vigil.ended;
    return hash;
  };

  /** Kills within the transaction that writes to the table. */
  const whileWriting = (table: string) => async () => {
    await client.query(`begin; lock table ${table} in share mode`);
    const hash = await attack();
    const isWaiting = `select 1 from pg_locks where relation = '${table}'::regclass and not granted`;
    await until(async () => (await rows(isWaiting)).length > 0);
    kill();
    await vigil.ended;
    await client.query('rollback');
    return hash;
  };

  const moments: Record<string, () => Promise<string>> = {
    'traces are asked for': atStep('asked'),
    'half of the traces came': atStep('half sent'),
    'the traces came': atStep('sent'),
    'what a detector reads is asked for': atStep('read'),
    'the block is written': whileWriting('untraced_block'),
    // What waits for a lock of a worker is not seen here, so on Citus it is what the same transaction writes beside them.
    'the alerts are written': whileWriting(inject('citusWorkers').length > 0 ? 'alert_event' : 'alert'),
    'the alerts are stored': async () => {
      const hash = await attack();
      await until(async () => (await rows(`select 1 from alert t where ${txHash} = $1`, hash)).length > 0);
      kill();
      return hash;
    },
    'the traces failed': async () => {
      node.tracing = 'failing';
      const hash = await attack();
      await until(async () => (await rows('select 1 from untraced_block where attempts > 0')).length > 0);
      kill();
      await vigil.ended;
      node.tracing = 'ok';
      await rows('update untraced_block set next_attempt_at = 0');
      return hash;
    },
    'no one knows': async () => {
      const hash = await attack();
      await sleep(random.below(400));
      kill();
      return hash;
    },
  };
  const names = Object.keys(moments);
  // In every run some of them, so that none is left out for long.
  const chosen = isFull ? names : names.toSorted(() => random.random() - 0.5).slice(0, 3);

  it.each(chosen)('an attack is found once after kill -9 when %s', async (moment) => {
    for (let round = 0; round < rounds; round++) {
      const hash = await moments[moment]!();
      await vigil.ended;
      vigil = await serve();
      await isWatching();
      await until(async () => (await rows('select 1 from untraced_block limit 1')).length === 0);
      await untilWritten(database.config, 'anvil');
      const found = await rows(
        `select d.name from alert t join detector d on d.id = t.detector_id where ${txHash} = $1 order by 1`,
        hash,
      );
      expect(found, `killed when ${moment}, SEED=${random.seed}`).toEqual([
        { name: 'drain' },
        { name: 'reentrancy' },
      ]);
    }
  });

  it('nothing is counted as unseen, and no evaluation failed', async () => {
    expect(await rows('select unseen_blocks from chain_cursor where unseen_blocks > 0')).toEqual([]);
    expect(await rows('select message from watch_fault')).toEqual([]);
  });
});

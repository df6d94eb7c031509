import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCancelOnRetractions } from '../../src/actions/fireOnAlerts.ts';
import type { ChainClient } from '../../src/chains/chainClient.ts';
import { sql } from '../../src/lib/sql.ts';
import { startActions } from '../../src/runtime/startActions.ts';
import { createSandbox, type Sandbox } from '../../src/scripts/sandbox.ts';
import { listen } from '../../src/store/db/listen.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { addGuard, type Guard, numberIn } from './support/addGuard.ts';
import { createExpiringChain } from './support/createExpiringChain.ts';
import { ended, expireLeases, findIntents, skipWaits } from './support/intents.ts';

describe('calls on a chain whose transactions expire', () => {
  const random = createRandom('expiring actions');
  const chain = createExpiringChain(random);
  let vigil: TestWatch;
  let guard: Guard;
  let sandbox: Sandbox;
  let acting: { stop(): Promise<void> };
  let failing = 0;
  let failures = 0;

  beforeAll(async () => {
    vigil = await startTestWatch({});
    guard = await addGuard(vigil, { action: { fireAt: 'head' } });
    sandbox = createSandbox();
    const client = { transactor: chain.transactor } as ChainClient;
    acting = startActions({
      store: vigil.store,
      keyring: vigil.services.keyring,
      hsm: undefined,
      runScripts: sandbox.run,
      chains: { isConfigured: () => true, client: () => client },
      confirmations: () => chain.confirmations,
      alertHooks: [],
      listen: (onMessage) => listen(vigil.connection, 'vigil_action', onMessage),
      now: Date.now,
      log: pino({ level: 'silent' }),
      onStep() {
        if (!random.chance(failing)) return;
        failures++;
        throw new Error('The step was interrupted.');
      },
    });
  });
  afterAll(async () => {
    await acting?.stop();
    await sandbox?.close();
    await vigil?.stop();
  });

  async function hurry(): Promise<void> {
    await sleep(8);
    if (random.chance(0.3)) chain.fork();
    chain.mine();
    await expireLeases(vigil);
    await skipWaits(vigil);
  }

  it('each call is taken once, whatever is lost, taken back or interrupted, and no two attempts are valid at once', async () => {
    failing = 0.1;
    const numbers = await guard.raise(8);
    await ended(vigil, hurry);
    failing = 0;
    expect(chain.overlaps, `seed ${random.seed}`).toEqual([]);
    const mined = chain.mined().map(numberIn);
    expect(
      mined.sort((one, other) => one - other),
      `seed ${random.seed}`,
    ).toEqual(numbers);
    const intents = await findIntents(vigil);
    expect(intents.every(({ state, nonce }) => state === 'CONFIRMED' && nonce === null)).toBe(true);
    expect(intents.every(({ outcomes }) => outcomes.filter((it) => it === 'confirmed').length === 1)).toBe(
      true,
    );
    expect(chain.signed.length, 'some expired').toBeGreaterThan(numbers.length);
    expect(failures, 'some steps were interrupted').toBeGreaterThan(0);
  });

  it('no call is signed twice because of a node that calls it expired', async () => {
    const before = chain.signed.length;
    chain.setDeaf(true);
    chain.setLying(true);
    const numbers = await guard.raise(2);
    await until(() => chain.signed.length === before + 2);
    const waits = async () =>
      (await findIntents(vigil)).filter(({ reason }) => /Not all nodes/.test(String(reason)));
    await until(async () => {
      await expireLeases(vigil);
      await skipWaits(vigil);
      return (await waits()).length === 2;
    });
    expect(chain.signed.length).toBe(before + 2);
    chain.setLying(false);
    chain.setDeaf(false);
    await ended(vigil, hurry);
    const mined = chain.mined().map(numberIn);
    const taken = mined.filter((number) => numbers.includes(number));
    expect(
      taken.sort((one, other) => one - other),
      `seed ${random.seed}`,
    ).toEqual(numbers);
    expect(chain.overlaps, `seed ${random.seed}`).toEqual([]);
  });

  /** Raises an alert whose call is signed, and lets it expire while `meanwhile` has happened. */
  async function expireAfter(meanwhile: (uid: string) => Promise<unknown>): Promise<string> {
    chain.setDeaf(true);
    const before = chain.signed.length;
    const [number] = await guard.raise(1);
    await until(() => chain.signed.length > before);
    const [alert] = await vigil.alerts(`eid:${number}`);
    await meanwhile(alert!.uid);
    await ended(vigil, hurry);
    chain.setDeaf(false);
    expect(chain.signed.length).toBe(before + 1);
    return String((await findIntents(vigil)).at(-1)!.reason);
  }

  it('is not signed again while actions are halted', async () => {
    expect(await expireAfter(() => vigil.ok('POST', 'action/halt', { tenantId: vigil.tenantId }))).toBe(
      'Actions are halted.',
    );
    await vigil.ok('POST', 'action/resume', { tenantId: vigil.tenantId });
  });

  it('is not signed again for an alert that was retracted', async () => {
    const retract = (uid: string) =>
      vigil.store.transaction(async (tx) => {
        await tx.query(sql`update alert set retracted_at = 1 where uid = ${uid}::uuid`);
        await createCancelOnRetractions({ now: Date.now })(tx, [{ tenantId: vigil.tenantId, uid }]);
      });
    expect(await expireAfter(retract)).toBe('The alert was retracted before the action was fired.');
  });
});

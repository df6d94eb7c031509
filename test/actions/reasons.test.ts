import { AbiParameters } from 'ox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { functionSelector } from '../../src/codecs/evm/abi.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { addGuard, type Guard } from './support/addGuard.ts';
import { ended, findIntents, skipWaits } from './support/intents.ts';
import { type SimulatedWorld, startSimulatedWorld } from './support/startSimulatedWorld.ts';

const uint = (value: number) => AbiParameters.encode([{ type: 'uint256' }], [BigInt(value)]).slice(2);
const broken = functionSelector('Broken(string)');
const abi = [
  { type: 'error', name: 'Nameless' },
  { type: 'error', name: 'Broken', inputs: [{ name: 'text', type: 'string' }] },
  { type: 'error', inputs: 7 },
];

describe('what a contract or a script says', () => {
  let world: SimulatedWorld;
  let guard: Guard;
  let revert = '';

  beforeAll(async () => {
    const contract = ({ phase }: { phase: string }) => (phase === 'estimate' ? undefined : { revert });
    world = await startSimulatedWorld({ mempool: { contract } });
    guard = await addGuard(world.vigil);
    // What is not an ABI is refused today, and may be there from before.
    await world.vigil.store.query(
      sql`update contract set abi = ${JSON.stringify(abi)}::jsonb where id = ${guard.contractId}`,
    );
    world.chain.extend(1);
    world.vigil.act();
  });
  afterAll(async () => {
    await world?.stop();
  });

  async function finish(): Promise<void> {
    await ended(world.vigil, async () => {
      world.chain.extend(1);
      await skipWaits(world.vigil);
    });
  }

  it.each([
    ['NUL', 'a\u0000b', 'a b'],
    [
      'an error of its own with arguments that cannot be read',
      `${broken}${uint(9999)}`,
      `custom error ${broken}`,
    ],
    [
      'an error of its own that is whole',
      `${broken}${uint(32)}${uint(2)}6f6b${'0'.repeat(60)}`,
      'Broken(text: ok)',
    ],
    ['very much', 'x'.repeat(20_000), 'xxx'],
  ])('the reason of a mined call that fails is reported, whatever it is: %s', async (_name, said, told) => {
    revert = said;
    const [number] = await guard.raise(1);
    await finish();
    const intent = (await findIntents(world.vigil)).find((one) => one.number === number)!;
    expect(intent).toMatchObject({ state: 'FAILED', outcomes: ['failed', 'submitted'] });
    expect(intent.reason).toContain(`The call was mined and reverted: ${told}`);
    expect(intent.reason!.length).toBeLessThanOrEqual(500);
    const alerts: Json[] = await world.vigil.alerts('meta.outcome:failed');
    expect(alerts.at(-1)!.meta.reason).toBe(intent.reason);
  });

  it('parameters that do not fit are reported, also with NUL in them', async () => {
    await world.vigil.ok('PUT', `action/${guard.actionId}`, {
      funcSignature: 'set((uint256 a) point, string note)',
      detectors: [{ detectorId: guard.detectorId, scriptParams: { point: '({ "a\\u0000": 1 })' } }],
    });
    const [number] = await guard.raise(1);
    await finish();
    expect((await findIntents(world.vigil)).find((one) => one.number === number)).toMatchObject({
      state: 'FAILED',
      reason: expect.stringContaining('has no member a\ufffd'),
      outcomes: ['failed'],
    });
  });

  it('goes into a call as it is, and NUL in a text is no fault', async () => {
    await world.vigil.ok('PUT', `action/${guard.actionId}`, {
      funcSignature: 'ping(uint256 id, string note)',
      detectors: [
        {
          detectorId: guard.detectorId,
          scriptParams: { id: 'e.meta.number', note: '"a\\u0000b"' },
        },
      ],
    });
    const before = world.mempool.arrivals.length;
    await guard.raise(1);
    await finish();
    expect(world.mempool.arrivals[before]!.tx.data).toContain('610062');
  });
});

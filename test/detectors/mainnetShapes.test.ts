import { expect, it } from 'vitest';
import { createStage } from '../../bench/support/detection/cast.ts';
import { mainnet, parties, placeMainnet } from '../../bench/support/detection/mainnetCast.ts';
import { createMainnetShapes } from '../../bench/support/detection/mainnetShapes.ts';
import { observeWorld } from '../../bench/support/detection/observeWorld.ts';
import { severityOf } from '../../src/model/alert.ts';
import { createSeededRandom } from '../../testing/seededRandom.ts';

const kinds = ['reentrancy', 'drain', 'tvl_drop', 'flash_loan', 'price_manipulation', 'outflow_rate'];

/** What a detector may say of ordinary business, because it is what the detector is for. */
const meant: readonly RegExp[] = [];

it('no shape of ordinary transactions is anything to a detector of losses, at whatever contract takes part', async () => {
  const seed = 11;
  const world = createStage(Date.UTC(2026, 0, 5, 6));
  placeMainnet(world);
  const shapes = createMainnetShapes(world, createSeededRandom(seed));
  const observer = observeWorld(
    world,
    [...parties.map(({ address }) => address), mainnet.weth, mainnet.hook].flatMap((on) =>
      kinds.map((detector) => ({ detector, on, settings: {} })),
    ),
  );
  const raised: string[] = [];
  for (const [name, act] of Object.entries(shapes))
    for (let round = 0; round < 3; round++) {
      world.begin();
      act();
      for (const { detector, on, finding } of await observer.mine(12_000)) {
        const isSmall = severityOf[finding.severity] < severityOf.MEDIUM && detector !== 'reentrancy';
        if (!isSmall && !meant.some((words) => words.test(finding.message)))
          raised.push(`${name}: ${detector} of ${nameOf(on)}: ${finding.severity} ${finding.message}`);
      }
    }
  expect(raised, `seed ${seed}`).toEqual([]);
});

function nameOf(address: string): string {
  return Object.entries(mainnet).find(([, each]) => each === address)?.[0] ?? address;
}

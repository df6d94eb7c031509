import { setTimeout as sleep } from 'node:timers/promises';
import type { Anvil } from '../testing/startAnvil.ts';
import type { World } from './deploy.ts';
import type { GuardedVault } from './guardVault.ts';
import { everyday, type Step, scenes } from './scenes.ts';

const blockMs = 1000;
/** Blocks of nothing but everyday traffic between two scenes, in the first round and afterwards. */
const gaps = { first: 1, later: 4 };

type Options = {
  anvil: Anvil;
  world: World;
  guarded: GuardedVault;
  /** Resolves when Vigil has come to this block. */
  reached: (block: bigint) => Promise<void>;
  signal: AbortSignal;
};

/** Makes a block a second, full of everyday traffic, with a scene now and then, until it is stopped. */
export async function drive({ anvil, world, guarded, reached, signal }: Options): Promise<void> {
  let played = 0;
  for (let quiet = 0; !signal.aborted; ) {
    const nextBlock = sleep(blockMs);
    const gap = played < scenes.length ? gaps.first : gaps.later;
    if (quiet < gap) {
      await mine(anvil, [], everyday(world));
      quiet++;
    } else {
      const scene = scenes[played++ % scenes.length]!;
      // A reorganisation of a block that Vigil has not processed would show nothing.
      if (scene === 'reorganise') await anvil.blockNumber().then(reached);
      if (scene === 'reorganise') await reorganise(anvil, quiet + 1);
      else if (scene === 'stopAttack') {
        await mine(anvil, guarded.prepare(world), everyday(world));
        await anvil.blockNumber().then(reached);
        await guarded.attack(world, everyday(world));
      } else await mine(anvil, await scene(world), everyday(world));
      quiet = 0;
    }
    await nextBlock;
  }
}

/** The scene comes first and in its order; users act side by side, each in the order of the list. */
async function mine(anvil: Anvil, scene: readonly Step[], traffic: readonly Step[][]): Promise<void> {
  const submit = async (steps: readonly Step[]) => {
    for (const step of steps) await anvil.submit(step);
  };
  await submit(scene);
  await Promise.all(traffic.map(submit));
  await anvil.mine();
}

/** Replaces the newest blocks by empty ones. */
async function reorganise(anvil: Anvil, depth: number): Promise<void> {
  await anvil.reorg(depth);
  // Anvil has put its clock back by as many blocks.
  await anvil.rpc('evm_setTime', Math.floor(Date.now() / 1000));
}

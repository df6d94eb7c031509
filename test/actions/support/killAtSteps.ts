import { expect } from 'vitest';
import type { Random } from '../../../testing/createRandom.ts';
import type { TestWatch } from '../../../testing/startTestWatch.ts';
import type { Actors } from './createActors.ts';
import { findPoints } from './findPoints.ts';
import { ended, expireLeases, findIntents, type Intent, skipWaits } from './intents.ts';

/** Every step is tried with PROVE_ROUNDS=50, one of them otherwise. */
export const isWholeProof = Number(process.env.PROVE_ROUNDS ?? 1) > 1;

type World = {
  vigil: TestWatch;
  actors: Actors;
  random: Random;
  /** Its alerts fire the actions; each has the next `meta.number`, from 1 on. */
  detectorId: number;
  /** What the chain does between two looks at what is under way. */
  meanwhile(): Promise<void>;
};

/**
 * Raises two alerts for each step of firing an action and kills the process that fires when it gets there; the next process ends
 * what that one began. Returns all that was to be fired, all of it confirmed.
 */
export async function killAtSteps({
  vigil,
  actors,
  random,
  detectorId,
  meanwhile,
}: World): Promise<Intent[]> {
  const points = findPoints();
  // Not every step is reached in every round; one death will do every day.
  const chosen = isWholeProof ? points : points.toSorted(() => random.random() - 0.5);
  const hurry = async () => {
    await meanwhile();
    await skipWaits(vigil);
  };
  let number = 0;
  let kills = 0;
  let actor = await actors.start();
  for (const point of chosen) {
    if (!isWholeProof && kills > 0) break;
    await actor.killAt(point, 1);
    const alerts = Array.from({ length: 2 }, () => ++number).map((nth) => ({
      eid: String(nth),
      message: 'An attack.',
      meta: { number: nth },
    }));
    await vigil.ok('POST', `detector/${detectorId}/alert`, { alerts });
    await ended(vigil, hurry, () => !actor.isAlive());
    if (actor.isAlive()) await actor.kill();
    else kills++;
    await expireLeases(vigil);
    actor = await actors.start();
    await ended(vigil, hurry);
  }
  await actor.kill();
  expect(kills).toBeGreaterThan(0);
  const intents = await findIntents(vigil);
  expect(
    intents.map(({ state, reason }) => reason ?? state),
    `seed ${random.seed}`,
  ).toEqual(intents.map(() => 'CONFIRMED'));
  return intents;
}

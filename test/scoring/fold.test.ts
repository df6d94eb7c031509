import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import type { Finding } from '../../src/model/alert.ts';
import { applyChange, toScore } from '../../src/scoring/applyChange.ts';
import { createScoreOnAlerts } from '../../src/scoring/scoreOnAlerts.ts';
import { resumeLanes } from '../../src/store/scores/resumeLanes.ts';
import { createRandom } from '../../testing/createRandom.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type ScoreWorld, startScoreWorld } from './support/scoreWorld.ts';

describe('the arithmetic of scores', () => {
  it('takes back exactly what it gave, and never leaves the bounds', () => {
    const seed = Date.now();
    console.log(`arithmetic of scores: seed ${seed}`);
    const number = fc.double({ min: -1e9, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(number, fc.array(number), (start, asked) => {
        const bounds = { min: -1e9, max: 1e9 };
        let score = toScore(start);
        const steps = asked.map((change) => {
          const step = applyChange(score, toScore(change), bounds);
          score = step.score;
          return step;
        });
        for (const { score: after } of steps) expect(Math.abs(after)).toBeLessThanOrEqual(1e9);
        for (const { scoreChange } of steps.toReversed())
          score = applyChange(score, -scoreChange, bounds).score;
        expect(score).toBe(toScore(start));
      }),
      { seed },
    );
  });
});

const bounds = { min: 0, max: 10 };
const license = {
  params: JSON.stringify({ ...bounds, start: 5 }),
  groupScript: 'e.meta.groups',
  scoreScript: 'e.meta.by * (group === "b" ? 0.1 : 1)',
};

let world: ScoreWorld;
beforeAll(async () => {
  world = await startScoreWorld();
  world.work();
  world.work();
});
afterAll(() => world.stop());

describe('whatever is raised, retracted and raised again', () => {
  it('the score is the fold of its changes, and exactly what it would be without the retracted alerts', async () => {
    const random = createRandom('folds of scores');
    const twins = [await world.license(license), await world.license(license)];
    /** Alerts in the order in which they were last raised. */
    const standing = new Map<string, Finding>();
    const known: Finding[] = [];
    for (let step = 0; step < 60; step++) {
      if (random.chance(0.3) && standing.size > 0) {
        const gone = random.pick([...standing.values()]);
        standing.delete(gone.key);
        await world.retract({ number: gone.blockNumber!, hash: gone.blockHash! });
      } else if (random.chance(0.15) && known.length > standing.size) {
        await raiseAll([random.pick(known.filter(({ key }) => !standing.has(key)))]);
      } else {
        await raiseAll(Array.from({ length: random.integer(1, 4) }, newFinding));
      }
      // Whoever scores loses what is not written yet, as if it had died.
      if (random.chance(0.2))
        for (const { licenseId } of twins) await resumeLanes(world.store, { licenseId });
      if (random.chance(0.2)) await world.changes(twins[0]!.instanceId);
    }
    const [changes = [], others = []] = await Promise.all(
      twins.map(({ instanceId }) => world.changes(instanceId)),
    );

    expect(changes.map(({ i }) => i)).toEqual(changes.map((_, index) => index + 1));
    expect(others.map(comparable)).toEqual(changes.map(comparable));
    for (const group of ['a', 'b']) {
      const own = changes.filter(({ scoreGroup }) => scoreGroup === group);
      let running = 5;
      for (const { score, scoreChange } of own) {
        expect(score).toBe(applyChange(running, scoreChange, bounds).score);
        running = score;
      }
      let without = 5;
      for (const { meta } of standing.values()) {
        if (!(meta.groups as string[]).includes(group)) continue;
        const asked = toScore((meta.by as number) * (group === 'b' ? 0.1 : 1));
        without = applyChange(without, asked, bounds).score;
      }
      expect(running).toBe(without);
      const present: Json[] = (await world.score(twins[0]!.instanceId)).data;
      expect(present.find(({ scoreGroup }) => scoreGroup === group)?.score ?? 5).toBe(without);
    }
    expect(world.errors).toEqual([]);

    async function raiseAll(findings: Finding[]): Promise<void> {
      // What is raised together is scored in the order of time.
      for (const finding of findings.toSorted((one, other) => one.timestamp - other.timestamp)) {
        standing.delete(finding.key);
        standing.set(finding.key, finding);
      }
      await prepareRaise(world.store, findings);
      const follow = [createScoreOnAlerts({ now: world.services.now })];
      await world.store.transaction((tx) => raiseAlerts(tx, findings, follow));
    }

    function newFinding(): Finding {
      const n = known.length;
      const finding: Finding = {
        tenantId: world.tenantId,
        projectId: world.projectId,
        contractId: world.contractId,
        detectorId: world.detectorId,
        kind: 'detector',
        group: 'SECURITY',
        severity: 'LOW',
        timestamp: Date.now() - random.below(1000),
        key: `fold ${n}`,
        eid: `fold ${n}`,
        name: 'Fold',
        message: 'Something happened.',
        meta: { by: (random.random() - 0.5) * 12, groups: random.pick([['a'], ['b'], ['a', 'b'], []]) },
        tags: [],
        chainUid: 'ethereum',
        blockNumber: n,
        blockHash: `0x${n}`,
      };
      known.push(finding);
      return finding;
    }
  });

  /** Everything but whose it is. */
  function comparable({ uid: _uid, licenseId: _license, licenseInstanceId: _instance, ...rest }: Json): Json {
    return rest;
  }
});

describe('many workers', () => {
  it('score each instance in the order of its alerts, each alert once', async () => {
    const instances = [];
    for (let n = 0; n < 6; n++)
      instances.push(await world.license({ groupScript: "['a']", scoreScript: '-0.000001' }));
    for (let n = 0; n < 3; n++) world.work();
    const uids: string[] = [];
    await until(async () => {
      uids.push(...(await world.push(...Array.from({ length: 20 }, () => ({})))));
      return uids.length >= 200;
    });
    for (const { instanceId } of instances) {
      const changes = await world.changes(instanceId);
      expect(changes.map(({ alertId }) => alertId)).toEqual(uids);
      expect(changes.at(-1)?.score).toBe(99.9998);
    }
    expect(world.errors).toEqual([]);
  });
});

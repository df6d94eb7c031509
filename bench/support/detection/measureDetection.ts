import { type Finding, severityOf } from '../../../src/model/alert.ts';
import { createBenignTraffic } from './benignTraffic.ts';
import { createStage } from './cast.ts';
import { type Incident, incidents } from './incidents.ts';
import { placeMainnet } from './mainnetCast.ts';
import { type Alert, observeWorld } from './observeWorld.ts';
import { busiest, recommended, type Watched, watched } from './watched.ts';

type DetectorFigures = {
  detector: string;
  incidents: number;
  found: number;
  /** Alerts of modelled incidents, and of benign traffic. */
  hits: number;
  falseAlerts: readonly string[];
  /** Those of them that are MEDIUM or more: of all that is watched, and of what Vigil itself recommends. */
  wakeful: number;
  wakefulRecommended: number;
};

export type Measured = {
  blocks: number;
  transactions: number;
  figures: readonly DetectorFigures[];
  missed: readonly string[];
  /** What the incidents raised, in order. */
  raised: readonly Finding[];
};

/** Time of day counts, so that a run begins at a fixed one. */
const startAt = Date.UTC(2026, 0, 5, 6);
/** What detectors learn from before incidents happen. */
const warmUp = 200;
const between = 10;
const all = [...watched, ...recommended, ...busiest];
const isRecommended = new Set(recommended);

/** False alerts over benign traffic of each seed, then every incident; of the first group of them there is one for each detector. */
export async function measureDetection(
  seeds: readonly number[],
  blocks: number,
  groups?: number,
): Promise<Measured> {
  const figures = new Map(
    all.map(({ detector }) => [
      detector,
      {
        detector,
        incidents: 0,
        found: 0,
        hits: 0,
        falseAlerts: [] as string[],
        wakeful: 0,
        wakefulRecommended: 0,
      },
    ]),
  );
  let transactions = 0;
  for (const seed of seeds) {
    const run = createRun(seed, all);
    for (let n = 0; n < blocks; n++)
      for (const { detector, by, finding } of await run.benign()) {
        const figure = figures.get(detector)!;
        figure.falseAlerts.push(`${finding.severity} ${finding.message} (seed ${seed}, block ${n})`);
        if (severityOf[finding.severity] < severityOf.MEDIUM) continue;
        figure.wakeful++;
        if (isRecommended.has(by)) figure.wakefulRecommended++;
      }
    transactions += run.transactions();
  }
  const missed: string[] = [];
  const hits: Finding[] = [];
  for (const group of independent(incidents).slice(0, groups)) {
    const run = createRun(seeds[0]!, watched);
    for (let n = 0; n < warmUp; n++) await run.benign();
    for (const incident of group) {
      const raised = await run.incident(incident);
      for (let n = 0; n < between; n++) raised.push(...(await run.benign()));
      for (const detector of incident.finds) {
        const own = raised.filter((alert) => alert.detector === detector);
        const figure = figures.get(detector)!;
        figure.incidents++;
        figure.hits += own.length;
        hits.push(...own.map(({ finding }) => finding));
        if (own.length > 0) figure.found++;
        else missed.push(`${detector}: ${incident.name}`);
      }
    }
  }
  return {
    blocks: blocks * seeds.length,
    transactions,
    figures: [...figures.values()],
    missed,
    raised: hits,
  };
}

/** Groups in which no two incidents are for the same detector, so that one chain serves for several. */
function independent(all: readonly Incident[]): Incident[][] {
  const groups: Incident[][] = [];
  for (const incident of all) {
    const isFree = (group: readonly Incident[]) =>
      group.every(({ finds }) => !finds.some((detector) => incident.finds.includes(detector)));
    const group = groups.find(isFree);
    if (group) group.push(incident);
    else groups.push([incident]);
  }
  return groups;
}

/** A chain with every watched detector on it and benign traffic. */
function createRun(seed: number, items: readonly Watched[]) {
  const world = createStage(startAt);
  placeMainnet(world);
  const fill = createBenignTraffic(world, seed);
  const observer = observeWorld(world, items);
  return {
    transactions: observer.transactions,
    async benign(): Promise<Alert[]> {
      world.begin();
      return observer.mine(fill());
    },
    async incident({ run, blocks = 1, intervalMs = 12_000, reorg = 0 }: Incident): Promise<Alert[]> {
      const raised: Alert[] = [];
      for (let step = 0; step < blocks; step++) {
        world.begin();
        fill();
        run(world, step);
        raised.push(...(await observer.mine(intervalMs)));
      }
      if (reorg > 0) raised.push(...(await observer.reorganise(reorg)));
      return raised;
    },
  };
}

import { chains } from '../../../src/chains/chains.ts';
import { toChainFacts } from '../../../src/chains/toChainFacts.ts';
import { compileDetector } from '../../../src/matching/compileDetector.ts';
import { createSubscriptionIndex } from '../../../src/matching/createSubscriptionIndex.ts';
import { evaluateMatches, type SubscriberState } from '../../../src/matching/evaluateMatches.ts';
import type { Matches } from '../../../src/matching/matches.ts';
import type { Subscriber } from '../../../src/matching/subscriber.ts';
import type { Finding } from '../../../src/model/alert.ts';
import type { Block } from '../../../src/model/block.ts';
import { createBenignTraffic } from './benignTraffic.ts';
import { createStage } from './cast.ts';
import type { World } from './createWorld.ts';
import { type Incident, incidents } from './incidents.ts';
import { type Watched, watched } from './watched.ts';

type DetectorFigures = {
  detector: string;
  incidents: number;
  found: number;
  /** Alerts of modelled incidents, and of benign traffic. */
  hits: number;
  falseAlerts: readonly string[];
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

/** False alerts over benign traffic of each seed, then every incident; of the first group of them there is one for each detector. */
export async function measureDetection(
  seeds: readonly number[],
  blocks: number,
  groups?: number,
): Promise<Measured> {
  const figures = new Map(
    watched.map(({ detector }) => [
      detector,
      { detector, incidents: 0, found: 0, hits: 0, falseAlerts: [] as string[] },
    ]),
  );
  let transactions = 0;
  for (const seed of seeds) {
    const run = createRun(seed);
    for (let n = 0; n < blocks; n++)
      for (const { detector, finding } of await run.benign())
        figures.get(detector)!.falseAlerts.push(`${finding.message} (seed ${seed}, block ${n})`);
    transactions += run.transactions();
  }
  const missed: string[] = [];
  const all: Finding[] = [];
  for (const group of independent(incidents).slice(0, groups)) {
    const run = createRun(seeds[0]!);
    for (let n = 0; n < warmUp; n++) await run.benign();
    for (const incident of group) {
      const raised = await run.incident(incident);
      for (let n = 0; n < between; n++) raised.push(...(await run.benign()));
      for (const detector of incident.finds) {
        const own = raised.filter((alert) => alert.detector === detector);
        const figure = figures.get(detector)!;
        figure.incidents++;
        figure.hits += own.length;
        all.push(...own.map(({ finding }) => finding));
        if (own.length > 0) figure.found++;
        else missed.push(`${detector}: ${incident.name}`);
      }
    }
  }
  return { blocks: blocks * seeds.length, transactions, figures: [...figures.values()], missed, raised: all };
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

type Alert = { detector: string; finding: Finding };

/** A chain with every watched detector on it, evaluated as the pipeline does. */
function createRun(seed: number) {
  const world = createStage(startAt);
  const fill = createBenignTraffic(world, seed);
  const index = createSubscriptionIndex();
  const names = new Map<Subscriber, string>();
  for (const [place, item] of watched.entries()) {
    const subscriber = compile(item, place + 1);
    names.set(subscriber, item.detector);
    index.add(subscriber);
  }
  const states = new Map<Subscriber, SubscriberState>();
  let previous: Block | undefined;
  let clockAt = startAt;
  let count = 0;

  async function evaluate(matches: Matches): Promise<Alert[]> {
    const evaluated = await evaluateMatches(matches, (subscriber) => states.get(subscriber), world.fetch);
    const [fault] = evaluated.faults;
    if (fault) throw new Error(`${fault.subscriber.name} failed: ${fault.message}`);
    for (const [subscriber, state] of evaluated.states) states.set(subscriber, state);
    const byId = new Map(Array.from(names, ([subscriber, name]) => [subscriber.id, name]));
    return evaluated.findings.map((finding) => ({ detector: byId.get(finding.detectorId!)!, finding }));
  }

  async function mine(intervalMs: number): Promise<Alert[]> {
    const raised: Alert[] = [];
    const { block, frames } = world.mine(intervalMs);
    // The clock goes on while the chain waits.
    for (const at of [block.timestamp - 1_000, block.timestamp + 1_000]) {
      const due = index.due(clockAt, at);
      clockAt = at;
      const clock: Matches = new Map(due.map((item) => [item, [{ type: 'clock', at, newest: previous }]]));
      raised.push(...(await evaluate(clock)));
      if (at < block.timestamp) {
        raised.push(...(await evaluate(index.match(block, previous))));
        raised.push(...(await evaluate(index.matchTraces(block, frames))));
      }
      previous = block;
    }
    count += block.transactions.length;
    return raised;
  }

  return {
    transactions: () => count,
    async benign(): Promise<Alert[]> {
      world.begin();
      return mine(fill());
    },
    async incident({ run, blocks = 1, intervalMs = 12_000, reorg = 0 }: Incident): Promise<Alert[]> {
      const raised: Alert[] = [];
      for (let step = 0; step < blocks; step++) {
        world.begin();
        fill();
        run(world, step);
        raised.push(...(await mine(intervalMs)));
      }
      if (reorg > 0) raised.push(...(await evaluate(reorganised(world, reorg))));
      return raised;
    },
  };

  function reorganised({ number, now }: World, depth: number): Matches {
    const refs = Array.from({ length: depth }, (_, n) => ({ number: number - n, hash: `0x${n}` }));
    return new Map(
      index.reorgs().map((item) => [item, [{ type: 'reorg', dropped: refs, added: refs, at: now }]]),
    );
  }
}

function compile({ detector, on, settings }: Watched, id: number): Subscriber {
  const contract = {
    id,
    tenantId: 1,
    projectId: 1,
    chainUid: 'ethereum' as const,
    address: on,
    implementation: null,
    name: 'Watched',
    addressType: 'CONTRACT',
    abi: [],
  };
  const row = { id, name: detector, schemaName: detector, tags: [], config: settings };
  const compiled = compileDetector(row, contract, toChainFacts(chains.ethereum));
  if ('fault' in compiled) throw new Error(`${detector}: ${compiled.fault}`);
  return compiled;
}

import { type ChainUid, chains, getChain } from '../src/chains/chains.ts';
import { createEvmClient } from '../src/chains/evm/createEvmClient.ts';
import { toChainFacts } from '../src/chains/toChainFacts.ts';
import { detectors } from '../src/detectors/detectors.ts';
import { compileDetector } from '../src/matching/compileDetector.ts';
import { compileTrigger } from '../src/matching/compileTrigger.ts';
import { createSubscriptionIndex } from '../src/matching/createSubscriptionIndex.ts';
import { evaluateMatches, type SubscriberState } from '../src/matching/evaluateMatches.ts';
import { partyEvidence } from '../src/matching/nameParties.ts';
import type { Subscriber } from '../src/matching/subscriber.ts';
import type { Finding } from '../src/model/alert.ts';
import type { BlockRef } from '../src/model/block.ts';
import type {
  Allocation,
  ContractFacts,
  Funding,
  HttpResult,
  Label,
  Observation,
} from '../src/model/detection.ts';
import { NotTraced } from '../src/model/traceState.ts';
import { createSandbox } from '../src/scripts/sandbox.ts';
import { triggers } from '../src/triggers/triggers.ts';
import { createFetch } from '../src/watch/reads/createFetch.ts';
import { messageFault } from './messageFault.ts';

type World = {
  /** Address of the watched contract. */
  address: string;
  /** The chain that it is taken for, whose prices are known. */
  chainUid?: ChainUid;
  /** The time between blocks by which its node is asked; a long one makes a day short. */
  blockTimeMs?: number;
  contract?: Partial<ContractFacts>;
  labels?: readonly Partial<Label>[];
  funding?: Readonly<Record<string, Funding>>;
  allocations?: readonly Allocation[];
  newestAlert?: () => { uid: string; timestamp: number } | null;
  http?: (url: string) => Promise<HttpResult>;
};

export type Observer = {
  /** Shows it every block of the chain that it has not seen yet; what it found, and faults as errors. */
  catchUp(): Promise<Finding[]>;
  /** Skips what has happened so far. */
  skip(): Promise<void>;
  /** Moves the wall clock for those who listen to it. */
  clock(at: number): Promise<Finding[]>;
  reorg(dropped: readonly BlockRef[], added: readonly BlockRef[]): Promise<Finding[]>;
  faults: string[];
  memory(): SubscriberState | undefined;
  close(): Promise<void>;
};

/**
 * Runs one detector on the blocks of a real node: real client, real matching, real evaluation; only the store is left
 * out.
 */
export async function observeDetector(
  url: string,
  schemaName: string,
  config: object,
  world: World,
): Promise<Observer> {
  const contract = watched(world);
  return observe(
    url,
    world,
    compileDetector(
      { id: 1, name: schemaName, schemaName, tags: [], config },
      contract,
      toChainFacts(getChain(world.chainUid ?? 'anvil')),
    ),
    detectors.get(schemaName)?.fields ?? [],
  );
}

/** The same for a trigger with one alert. */
export async function observeTrigger(
  url: string,
  triggerType: string,
  params: object,
  world: World,
): Promise<Observer> {
  const contract = watched(world);
  const alerts = [{ id: 1, severity: 'HIGH' as const, name: triggerType, message: null }];
  return observe(
    url,
    world,
    compileTrigger(
      { id: 1, name: triggerType, triggerType, tags: [], params, alerts },
      contract,
      toChainFacts(chains.anvil),
    ),
    triggers.get(triggerType)?.fields ?? [],
  );
}

function watched({ address, contract }: World): ContractFacts {
  return {
    id: 1,
    tenantId: 1,
    projectId: 1,
    chainUid: 'anvil',
    implementation: null,
    name: 'Watched',
    addressType: 'CONTRACT',
    abi: [],
    ...contract,
    address: address.toLowerCase(),
  };
}

async function observe(
  url: string,
  world: World,
  subscriber: Subscriber | { fault: string },
  fields: readonly string[],
): Promise<Observer> {
  if ('fault' in subscriber) throw new Error(subscriber.fault);
  const listed = new Set(['triggerAlertId', ...partyEvidence, ...fields]);
  const { blockTimeMs = chains.anvil.blockTimeMs } = world;
  const client = createEvmClient({
    chain: { ...chains.anvil, blockTimeMs },
    urls: [url],
    now: Date.now,
    onCall: () => {},
  });
  const sandbox = createSandbox();
  const fetch = createFetch({
    client,
    labels: async () =>
      (world.labels ?? []).map((label) => ({
        tenantId: null,
        address: '',
        name: null,
        tags: [],
        score: 100,
        source: null,
        ...label,
      })),
    funding: async () => new Map(Object.entries(world.funding ?? {})),
    newestAlert: async () => world.newestAlert?.() ?? null,
    allocations: async () => world.allocations ?? [],
    scripts: (tenantId, values, sources) => sandbox.run(tenantId, values, sources),
    http: ({ url: target }) => world.http?.(target) ?? Promise.resolve({ failure: 'no answer' }),
  });
  const index = createSubscriptionIndex();
  index.add(subscriber);
  let memory: SubscriberState | undefined;
  let next = 0;
  let previous: { number: number; timestamp: number } | undefined;
  let clockAt = 0;
  const faults: string[] = [];

  async function show(matches: Map<Subscriber, Observation[]>): Promise<Finding[]> {
    const evaluated = await evaluateMatches(matches, () => memory, fetch);
    faults.push(...evaluated.faults.map(({ message }) => message));
    memory = evaluated.states.get(subscriber as Subscriber) ?? memory;
    // State is stored as JSON, so what does not survive that must not work here either.
    if (memory) memory = JSON.parse(JSON.stringify(memory)) as SubscriberState;
    // Message templates are held to the list of the definition when they are saved, so it must be complete.
    const unlisted = evaluated.findings
      .flatMap(({ meta }) => Object.keys(meta))
      .filter((name) => !listed.has(name));
    if (unlisted.length > 0)
      throw new Error(`The definition does not list the fields ${unlisted.join(', ')}.`);
    const [fault] = evaluated.findings.flatMap((finding) => messageFault(finding) ?? []);
    if (fault) throw new Error(`The message ${fault}`);
    return evaluated.findings;
  }

  return {
    faults,
    memory: () => memory,
    async catchUp() {
      const findings: Finding[] = [];
      for (let block = await client.block(next); block; block = await client.block(next)) {
        findings.push(...(await show(index.match(block, previous))));
        const frames = index.wantsTraces() && (await client.tracer!.frames(block).catch(unlessUntraced));
        if (frames) findings.push(...(await show(index.matchTraces(block, frames))));
        previous = { number: block.number, timestamp: block.timestamp };
        next++;
      }
      return findings;
    },
    async skip() {
      const header = await client.header('latest');
      next = header!.number + 1;
      previous = header!;
    },
    async clock(at) {
      const due = index.due(clockAt, at);
      clockAt = at;
      return show(new Map(due.map((item) => [item, [{ type: 'clock', at, newest: previous }]])));
    },
    reorg: (dropped, added) =>
      show(
        new Map(
          index
            .reorgs()
            .map((item) => [item, [{ type: 'reorg', dropped, added, at: previous?.timestamp ?? 0 }]]),
        ),
      ),
    async close() {
      await Promise.all([client.close(), sandbox.close()]);
    },
  };
}

/** Vigil goes on without traces where no node has them. */
function unlessUntraced(error: unknown): undefined {
  if (!(error instanceof NotTraced) || error.reason !== 'unsupported') throw error;
}

import { chains } from '../../../src/chains/chains.ts';
import { toChainFacts } from '../../../src/chains/toChainFacts.ts';
import { compileDetector } from '../../../src/matching/compileDetector.ts';
import { createSubscriptionIndex } from '../../../src/matching/createSubscriptionIndex.ts';
import { evaluateMatches, type SubscriberState } from '../../../src/matching/evaluateMatches.ts';
import type { Matches } from '../../../src/matching/matches.ts';
import type { Subscriber } from '../../../src/matching/subscriber.ts';
import type { Finding } from '../../../src/model/alert.ts';
import type { Block } from '../../../src/model/block.ts';
import type { World } from './createWorld.ts';
import type { Watched } from './watched.ts';

export type Alert = { detector: string; on: string; by: Watched; finding: Finding };

/** Detectors on a chain in memory, evaluated as the pipeline does. */
export function observeWorld(world: World, watched: readonly Watched[]) {
  const index = createSubscriptionIndex();
  const byId = new Map(watched.map((item, place) => [place + 1, item]));
  for (const [id, item] of byId) index.add(compile(item, id));
  const states = new Map<Subscriber, SubscriberState>();
  let previous: Block | undefined;
  let clockAt = world.now;
  let count = 0;

  async function evaluate(matches: Matches): Promise<Alert[]> {
    const evaluated = await evaluateMatches(matches, (subscriber) => states.get(subscriber), world.fetch);
    const [fault] = evaluated.faults;
    if (fault) throw new Error(`${fault.subscriber.name} failed: ${fault.message}`);
    for (const [subscriber, state] of evaluated.states) states.set(subscriber, state);
    return evaluated.findings.map((finding) => {
      const by = byId.get(finding.detectorId!)!;
      return { detector: by.detector, on: by.on, by, finding };
    });
  }

  return {
    transactions: () => count,
    /** Mines what was sent since the world began its block. */
    async mine(intervalMs: number): Promise<Alert[]> {
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
    },
    /** The chain drops so many blocks. */
    reorganise(depth: number): Promise<Alert[]> {
      const { number, now } = world;
      const refs = Array.from({ length: depth }, (_, n) => ({ number: number - n, hash: `0x${n}` }));
      return evaluate(
        new Map(
          index.reorgs().map((item) => [item, [{ type: 'reorg', dropped: refs, added: refs, at: now }]]),
        ),
      );
    },
  };
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

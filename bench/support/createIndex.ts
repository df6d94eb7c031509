import { type ChainUid, getChain } from '../../src/chains/chains.ts';
import { toChainFacts } from '../../src/chains/toChainFacts.ts';
import { compileDetector } from '../../src/matching/compileDetector.ts';
import { createSubscriptionIndex } from '../../src/matching/createSubscriptionIndex.ts';

const subscribers = 10_000;

/** The address of a watched contract, and what watches it. */
export type Watching = { uid: ChainUid; address(n: number): string; schemaName: string; config?: object };

/** Each watches an address of its own; none of them is in the block but the first. */
export function createIndex({ uid: chainUid, address, schemaName, config = {} }: Watching) {
  const index = createSubscriptionIndex();
  const facts = toChainFacts(getChain(chainUid));
  for (let id = 1; id <= subscribers; id++) {
    const row = { id, name: 'Owner', schemaName, tags: [], config };
    const contract = {
      id,
      tenantId: 1,
      projectId: 1,
      chainUid,
      address: address(id),
      implementation: null,
      name: 'Contract',
      addressType: 'CONTRACT',
      abi: [],
    };
    const compiled = compileDetector(row, contract, facts);
    if ('fault' in compiled) throw new Error(compiled.fault);
    index.add(compiled);
  }
  return index;
}

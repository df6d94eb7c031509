import type { Chain } from '../../chains/chains.ts';
import type { Finding } from '../../model/alert.ts';
import type { ContractFacts } from '../../model/detection.ts';

export type Silence = {
  /** The last block before it, -1 where none was ever seen. */
  after: number;
  /** Time of that block, or since when one is awaited. */
  since: number;
  /** True if any node answers. */
  isReachable: boolean;
};

const nextStep =
  'Check the nodes under Administration, Chains, and the status page of the chain. Until blocks come, nothing that happens on it raises an alert.';

/** Alerts every tenant that watches the chain that no blocks come. */
export function haltFindings(
  chain: Chain,
  contracts: Iterable<ContractFacts>,
  { after, since, isReachable }: Silence,
  at: number,
): Finding[] {
  const seconds = Math.round((at - since) / 1000);
  const what = isReachable
    ? `${chain.name} has had no new block for ${seconds} seconds`
    : `No node of ${chain.name} has answered for ${seconds} seconds`;
  const last = after >= 0 ? `the last block that was seen is ${after}` : 'no block has been seen yet';
  return toFindings(chain, contracts, {
    severity: 'HIGH',
    key: `halt ${after} ${at}`,
    message: `${what}; ${last}. Nothing that happens on it is seen.`,
    meta: {
      newestBlock: after,
      silentSince: new Date(since).toISOString(),
      silentSeconds: seconds,
      isReachable,
    },
    timestamp: at,
    nextStep,
  });
}

/** The same when blocks come again. */
export function haltEndFindings(
  chain: Chain,
  contracts: Iterable<ContractFacts>,
  { after, at: haltedAt }: { after: number; at: number },
  newest: number,
  at: number,
): Finding[] {
  return toFindings(chain, contracts, {
    severity: 'INFO',
    key: `halt end ${after} ${haltedAt}`,
    message: `${chain.name} has blocks again: it is now at ${newest}. What happened meanwhile is looked at as its blocks come in.`,
    meta: {
      newestBlock: newest,
      haltedAfter: after,
      haltedAt: new Date(haltedAt).toISOString(),
      ended: true,
    },
    timestamp: at,
    nextStep: 'Look at the alerts of the blocks that came in late.',
    isEnd: true,
  });
}

type Common = Pick<Finding, 'severity' | 'key' | 'message' | 'meta' | 'timestamp' | 'nextStep' | 'isEnd'>;

/** One for each tenant, about the contract of its that was added first. */
function toFindings(chain: Chain, contracts: Iterable<ContractFacts>, common: Common): Finding[] {
  const first = new Map<number, ContractFacts>();
  for (const contract of contracts) {
    const former = first.get(contract.tenantId);
    if (!former || contract.id < former.id) first.set(contract.tenantId, contract);
  }
  return Array.from(first.values(), ({ tenantId, projectId, id }) => ({
    ...common,
    tenantId,
    projectId,
    contractId: id,
    kind: 'detector',
    group: 'SECURITY',
    key: `${chain.uid} ${common.key}`,
    eid: `${chain.uid}-${common.key.replaceAll(' ', '-')}`,
    name: 'Chain halt',
    cause: `chain halt ${chain.uid}`,
    tags: ['vigil'],
    chainUid: chain.uid,
    detectorSchemaName: 'chain_halt',
  }));
}

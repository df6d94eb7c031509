import type { ChainClient } from '../chains/chainClient.ts';
import type { Egress } from '../lib/egress.ts';
import type { HostQueues } from '../lib/hostQueues.ts';
import type { Fetch } from '../matching/answers.ts';
import type { ScriptResult } from '../model/detection.ts';
import type { Store } from '../store/db.ts';
import type { Keyring } from '../store/keyring.ts';
import { findLabels } from '../store/labels/findLabels.ts';
import { findAllocations } from '../store/tokenomics.ts';
import { findFunding } from '../store/watch/funding.ts';
import { answerRequests } from './answerRequests.ts';
import { createProbe } from './probe.ts';

type Options = {
  store: Store;
  runScripts: (
    tenantId: number,
    values: Readonly<Record<string, unknown>>,
    sources: readonly string[],
  ) => Promise<readonly ScriptResult[]>;
  egress: Egress;
  hosts: HostQueues;
  keyring: Keyring;
};

/** Answers what evaluations ask: from the chain's nodes, the store, the sandbox and the web. */
export function openAnswers({ store, runScripts, egress, hosts, keyring }: Options): {
  answers(chainUid: string, client: ChainClient): Fetch;
  close(): Promise<void>;
} {
  const { probe, close } = createProbe({ egress, hosts, keyring });
  return {
    answers: (chainUid, client) =>
      answerRequests({
        client,
        labels: (addresses) => findLabels(store, { chainUid, addresses }),
        funding: (addresses) => findFunding(store, chainUid, addresses),
        allocations: (tenantId, contractId) => findAllocations(store, tenantId, contractId),
        scripts: runScripts,
        http: probe,
      }),
    close,
  };
}

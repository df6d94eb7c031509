import type { BlockList } from 'node:net';
import type { ChainClient } from '../chains/chainClient.ts';
import type { Fetch } from '../matching/answers.ts';
import type { ScriptResult } from '../model/detection.ts';
import type { Store } from '../store/db.ts';
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
  allowNetworks: BlockList;
};

/** Answers what evaluations ask: from the chain's nodes, the store, the sandbox and the web. */
export function openAnswers({ store, runScripts, allowNetworks }: Options): {
  answers(chainUid: string, client: ChainClient): Fetch;
  close(): Promise<void>;
} {
  const { probe, close } = createProbe(allowNetworks);
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

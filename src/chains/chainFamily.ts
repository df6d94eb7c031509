import type { Header } from '../model/block.ts';
import type { Inspection } from '../model/contractKinds.ts';
import type { Fault } from '../model/errors.ts';
import type { ChainClient, ClientOptions, ConnectedClient, TraceKind } from './chainClient.ts';
import type { Chain } from './chains.ts';
import type { FamilyActions } from './familyActions.ts';
import type { FamilyRules } from './familyRules.ts';

/** All that Vigil knows of a chain family; nothing outside this folder depends on which one a chain belongs to. */
export type ChainFamily = FamilyRules & {
  /** Undefined: chains of the family cannot be followed yet, only their addresses and keys are known. */
  readonly nodes?: FamilyNodes;
  /** What is wrong with the interface of a contract, where the family writes interfaces in its own way; pointers begin with `root`. */
  abiFaults?(abi: readonly unknown[], root: string): Fault[];
  /** Undefined: actions cannot be fired on chains of the family yet. */
  readonly actions?: FamilyActions;
};

/** How the nodes of a family are used. */
export type FamilyNodes = {
  createClient(options: ClientOptions): ConnectedClient;
  /** What is wrong with an endpoint for the chain, found with a call or two; undefined when it can be used. */
  endpointFault(url: string, chain: Chain): Promise<string | undefined>;
  /** What an endpoint can do. */
  probeEndpoint(url: string, chain: Chain): Promise<EndpointReport>;
  /** Nodes of the family can tell what contracts do within transactions. */
  readonly areTraced?: true;
  /** What stands at an address; undefined where the family has no contracts that say what they are. */
  readonly inspect?: (client: ChainClient, at: Header, address: string) => Promise<Inspection>;
};

export type EndpointReport = {
  /** What is wrong with it; null for an endpoint that can be used. */
  fault: string | null;
  /** Null on chains that have no id. */
  chainId: number | null;
  head: number | null;
  latencyMs: number | null;
  /** Of the following, null is what could not be found out in time, or what the family does not have. */
  archiveDepth: number | null;
  isArchive: boolean | null;
  traces: TraceKind[] | null;
  pendingTransactions: boolean | null;
  logRange: number | null;
};

/** Of an endpoint of which nothing is known. */
export const emptyReport: EndpointReport = {
  fault: null,
  chainId: null,
  head: null,
  latencyMs: null,
  archiveDepth: null,
  isArchive: null,
  traces: null,
  pendingTransactions: null,
  logRange: null,
};

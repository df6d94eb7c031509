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
  /** Faults of a contract's interface, in families with their own form of it; pointers begin with `root`. */
  abiFaults?(abi: readonly unknown[], root: string): Fault[];
  /** Undefined: actions cannot be fired on chains of the family yet. */
  readonly actions?: FamilyActions;
};

/** Access to the nodes of a family. */
export type FamilyNodes = {
  createClient(options: ClientOptions): ConnectedClient;
  /** The fault of an endpoint for the chain, found with a call or two; undefined when it can be used. */
  endpointFault(url: string, chain: Chain): Promise<string | undefined>;
  /** The abilities of an endpoint. */
  probeEndpoint(url: string, chain: Chain): Promise<EndpointReport>;
  /** Nodes of the family can tell what contracts do within transactions. */
  readonly areTraced?: true;
  /** Inspects an address; undefined where contracts of the family do not say what they are. */
  readonly inspect?: (client: ChainClient, at: Header, address: string) => Promise<Inspection>;
};

export type EndpointReport = {
  /** Its fault; null for a usable endpoint. */
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

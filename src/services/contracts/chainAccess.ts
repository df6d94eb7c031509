import type { ChainClient } from '../../chains/chainClient.ts';
import type { Chain, ChainUid } from '../../chains/chains.ts';

/** The chains that are configured here. */
export type ChainAccess = {
  isConfigured(uid: ChainUid): boolean;
  /** Undefined for a chain that is not configured. */
  client(uid: ChainUid): ChainClient | undefined;
  /** The chain with the network that its nodes serve here, where that is not the public one. */
  readonly chain?: (uid: ChainUid) => Chain;
};

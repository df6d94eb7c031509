import type { ChainClient } from '../../chains/chainClient.ts';
import type { ChainUid } from '../../chains/chains.ts';

/** The chains that are configured here. */
export type ChainAccess = {
  isConfigured(uid: ChainUid): boolean;
  /** Undefined for a chain that is not configured. */
  client(uid: ChainUid): ChainClient | undefined;
};

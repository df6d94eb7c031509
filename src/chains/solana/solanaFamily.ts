import type { ChainFamily } from '../chainFamily.ts';
import { createSolanaClient } from './createSolanaClient.ts';
import { endpointFault, probeEndpoint } from './solanaProtocol.ts';
import { solanaRules } from './solanaRules.ts';

export const solanaFamily: ChainFamily = {
  ...solanaRules,
  nodes: { createClient: createSolanaClient, endpointFault, probeEndpoint },
};

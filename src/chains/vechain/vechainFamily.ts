import type { ChainFamily } from '../chainFamily.ts';
import { inspectContract } from '../evm/inspectContract.ts';
import { createVechainClient } from './createVechainClient.ts';
import { endpointFault, probeEndpoint } from './vechainProtocol.ts';
import { vechainRules } from './vechainRules.ts';

export const vechainFamily: ChainFamily = {
  ...vechainRules,
  nodes: { createClient: createVechainClient, endpointFault, probeEndpoint, inspect: inspectContract },
};

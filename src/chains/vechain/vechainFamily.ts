import type { ChainFamily } from '../chainFamily.ts';
import { evmActions } from '../evm/evmActions.ts';
import { inspectContract } from '../evm/inspectContract.ts';
import { createVechainClient } from './createVechainClient.ts';
import { endpointFault, probeEndpoint } from './vechainProtocol.ts';
import { vechainRules } from './vechainRules.ts';

export const vechainFamily: ChainFamily = {
  ...vechainRules,
  nodes: { createClient: createVechainClient, endpointFault, probeEndpoint, inspect: inspectContract },
  // Fees are paid in VTHO, which has the same decimals as VET.
  actions: { ...evmActions, costUnit: 'wei of VTHO' },
};

import type { ChainFamily } from '../chainFamily.ts';
import { createEvmClient } from './createEvmClient.ts';
import { evmActions } from './evmActions.ts';
import { evmRules } from './evmRules.ts';
import { inspectContract } from './inspectContract.ts';
import { endpointFault, probeEndpoint } from './probeEndpoint.ts';

export const evmFamily: ChainFamily = {
  ...evmRules,
  nodes: {
    createClient: createEvmClient,
    endpointFault,
    probeEndpoint,
    areTraced: true,
    inspect: inspectContract,
  },
  actions: evmActions,
};

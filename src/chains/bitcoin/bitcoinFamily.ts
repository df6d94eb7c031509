import type { ChainFamily } from '../chainFamily.ts';
import { bitcoinActions } from './bitcoinActions.ts';
import { endpointFault, probeEndpoint } from './bitcoinProtocol.ts';
import { bitcoinRules } from './bitcoinRules.ts';
import { createBitcoinClient } from './createBitcoinClient.ts';

export const bitcoinFamily: ChainFamily = {
  ...bitcoinRules,
  nodes: { createClient: createBitcoinClient, endpointFault, probeEndpoint },
  actions: bitcoinActions,
};

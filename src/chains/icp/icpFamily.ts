import type { ChainFamily } from '../chainFamily.ts';
import { createIcpClient } from './createIcpClient.ts';
import { endpointFault, probeEndpoint } from './icpProtocol.ts';
import { icpRules } from './icpRules.ts';

export const icpFamily: ChainFamily = {
  ...icpRules,
  nodes: { createClient: createIcpClient, endpointFault, probeEndpoint },
};

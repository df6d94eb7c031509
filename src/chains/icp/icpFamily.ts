import { candidOf } from '../../codecs/icp/candidOf.ts';
import type { ChainFamily } from '../chainFamily.ts';
import { createIcpClient } from './createIcpClient.ts';
import { icpActions } from './icpActions.ts';
import { endpointFault, probeEndpoint } from './icpProtocol.ts';
import { icpRules } from './icpRules.ts';
import { inspectCanister } from './inspectCanister.ts';

export const icpFamily: ChainFamily = {
  ...icpRules,
  abiFaults(abi, root) {
    const message = 'must be a list with { "candid": "service : …" } as its only item.';
    try {
      const isCandid = abi.length === 0 || candidOf(abi) !== undefined;
      return isCandid ? [] : [{ pointer: root, code: 'candid', message }];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [{ pointer: `${root}/0/candid`, code: 'candid', message: error.message }];
    }
  },
  actions: icpActions,
  nodes: { createClient: createIcpClient, endpointFault, probeEndpoint, inspect: inspectCanister },
};

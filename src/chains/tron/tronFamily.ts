import { mapTexts } from '../../lib/mapTexts.ts';
import type { ChainFamily } from '../chainFamily.ts';
import { inspectContract } from '../evm/inspectContract.ts';
import { createTronClient, withoutStorage } from './createTronClient.ts';
import { tronActions } from './tronActions.ts';
import { showAddress } from './tronAddress.ts';
import { endpointFault, probeEndpoint } from './tronProtocol.ts';
import { tronRules } from './tronRules.ts';

export const tronFamily: ChainFamily = {
  ...tronRules,
  actions: tronActions,
  nodes: {
    createClient: createTronClient,
    endpointFault,
    probeEndpoint,
    async inspect({ readState, findImplementation }, header, address) {
      const inspection = await inspectContract(
        { readState: withoutStorage(readState), findImplementation },
        header,
        address,
      );
      const show = (text: string) =>
        /^0x[0-9a-f]{40}$/i.test(text) ? showAddress(text.toLowerCase()) : text;
      return { ...inspection, facts: mapTexts(inspection.facts, show) };
    },
  },
};

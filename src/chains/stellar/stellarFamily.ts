import { isSpecEntry, specOf } from '../../codecs/stellar/spec.ts';
import type { ChainFamily } from '../chainFamily.ts';
import { createStellarClient } from './createStellarClient.ts';
import { inspectStellar } from './inspectStellar.ts';
import { stellarActions } from './stellarActions.ts';
import { endpointFault, probeEndpoint } from './stellarProtocol.ts';
import { stellarRules } from './stellarRules.ts';

export const stellarFamily: ChainFamily = {
  ...stellarRules,
  abiFaults(abi, root) {
    const wrong = abi.findIndex((item) => !isSpecEntry(item));
    if (wrong !== -1)
      return [
        {
          pointer: `${root}/${wrong}`,
          code: 'spec',
          message:
            'must be an entry of a Soroban spec, such as {"function_v0": …}: `stellar contract info interface --output json` prints them.',
        },
      ];
    try {
      specOf(abi);
      return [];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [{ pointer: root, code: 'spec', message: error.message }];
    }
  },
  actions: stellarActions,
  nodes: { createClient: createStellarClient, endpointFault, probeEndpoint, inspect: inspectStellar },
};

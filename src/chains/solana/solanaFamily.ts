import { idlOf } from '../../codecs/solana/idl.ts';
import type { ChainFamily } from '../chainFamily.ts';
import { createSolanaClient } from './createSolanaClient.ts';
import { solanaActions } from './solanaActions.ts';
import { endpointFault, probeEndpoint } from './solanaProtocol.ts';
import { solanaRules } from './solanaRules.ts';

export const solanaFamily: ChainFamily = {
  ...solanaRules,
  abiFaults(abi, root) {
    try {
      const isIdl = abi.length === 0 || idlOf(abi) !== undefined;
      return isIdl
        ? []
        : [{ pointer: root, code: 'idl', message: 'must be a list with an Anchor IDL as its only item.' }];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [{ pointer: `${root}/0`, code: 'idl', message: error.message }];
    }
  },
  actions: solanaActions,
  nodes: { createClient: createSolanaClient, endpointFault, probeEndpoint },
};

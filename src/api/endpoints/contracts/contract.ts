import type { ChainUid } from '../../../chains/chains.ts';
import { enableDetectors } from '../../../services/contracts/enableDetectors.ts';
import { prepareContract } from '../../../services/contracts/prepareContract.ts';
import { contractTable } from '../../../store/tables/contractTable.ts';
import { projectTable } from '../../../store/tables/projectTable.ts';
import { defineResource, type Resource } from '../../http/defineResource.ts';
import type { Endpoint } from '../../http/endpoint.ts';

const resource = defineResource({
  path: '/contract',
  tag: 'Contracts',
  about: 'An address on a chain that is watched: a contract, a wallet or another entity.',
  table: contractTable,
  owner: { member: 'projectId', table: projectTable, use: 'write' },
  limit: 'maxContracts',
  // A main ABI can be large.
  bodyLimit: 4 * 1024 * 1024,
  prepare: prepareContract,
  finishAll: enableDetectors,
  hasBatch: true,
});

type Created = { chainUid: ChainUid };

/** A contract on a chain that is not configured is kept but not watched, which must not go unsaid. */
function warnOfUnwatched(create: Endpoint): Endpoint {
  return {
    ...create,
    async handle(call, input) {
      const reply = await create.handle(call, input);
      const { data = [reply.body as Created] } = reply.body as { data?: Created[] };
      const chainUids = [...new Set(data.map(({ chainUid }) => chainUid))];
      const warnings = chainUids
        .filter((uid) => !call.services.chains.isConfigured(uid))
        .map(
          (uid) =>
            `199 vigil "The contract is not watched: no endpoint is configured for ${uid}. Set VIGIL_RPC_${uid.toUpperCase()} and start Vigil again."`,
        );
      if (warnings.length === 0) return reply;
      return { ...reply, headers: { ...reply.headers, warning: warnings.join(', ') } };
    },
  };
}

export const contract: Resource = {
  ...resource,
  endpoints: resource.endpoints.map((endpoint) =>
    endpoint.effect === 'create' ? warnOfUnwatched(endpoint) : endpoint,
  ),
};

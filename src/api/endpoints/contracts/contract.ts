import { Type } from 'typebox';
import { type ChainUid, chainUids } from '../../../chains/chains.ts';
import { addressTypes } from '../../../model/enumerations.ts';
import { prepareContract } from '../../../services/contracts/prepareContract.ts';
import { switchOnDetectors } from '../../../services/contracts/switchOnDetectors.ts';
import { contractTable } from '../../../store/contracts/contractTable.ts';
import { projectTable } from '../../../store/contracts/projectTable.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { fixed, given, hidden, output } from '../../http/fields.ts';
import { defineResource, type Resource } from '../../http/resource.ts';
import { Flag, Icon, Id, Name, OneOf, Text, Words } from '../../http/schema.ts';
import { idField, timeFields } from '../records/common.ts';

const resource = defineResource({
  path: '/contract',
  tag: 'Contracts',
  noun: 'contract',
  about: 'An address on a chain that is watched: a contract, a wallet or another entity.',
  table: contractTable,
  owner: { member: 'projectId', table: projectTable, use: 'write' },
  limit: 'maxContracts',
  // A main ABI can be large.
  bodyLimit: 4 * 1024 * 1024,
  fields: {
    id: idField,
    ...timeFields,
    projectId: fixed(Id('The owning project.'), { required: true }),
    chainUid: fixed(OneOf(chainUids, 'The chain.', 'ethereum'), { required: true }),
    address: fixed(
      Text(
        'Direct address of the contract, in the form of its chain.',
        '0xdAC17F958D2ee523a2206206994597C13D831ec7',
        { max: 200 },
      ),
      {
        required: true,
      },
    ),
    implementation: output(
      Text(
        'Address of the implementation when the contract is a proxy, else null.',
        '0x0000000000000000000000000000000000000001',
      ),
    ),
    name: given(Name('What to call it.', 'Vault token'), { required: true }),
    category: given(Text('What sort of contract it is.', 'erc20', { max: 200 })),
    tags: given(Words('Free labels.', ['token']), { default: [] }),
    addressType: given(OneOf(addressTypes, 'What stands at the address.', 'CONTRACT'), {
      default: 'CONTRACT',
    }),
    amlRequired: given(Flag('Whether the AML detector is required.'), { default: false }),
    icon: given(Icon('URL of an icon.', 'https://example.com/token.png')),
    abi: hidden(
      Type.Unsafe<Record<string, unknown>[]>({
        type: 'array',
        items: { type: 'object', additionalProperties: true },
        maxItems: 10_000,
        description: 'Used as the main ABI even when the address is a proxy. Never shown.',
        examples: [
          [{ type: 'function', name: 'pause', inputs: [], outputs: [], stateMutability: 'nonpayable' }],
        ],
      }),
    ),
  },
  prepare: prepareContract,
  finish: switchOnDetectors,
});

/** A contract on a chain that is not configured is kept but not watched, which must not go unsaid. */
function warnOfUnwatched(create: Endpoint): Endpoint {
  return {
    ...create,
    async handle(call, input) {
      const reply = await create.handle(call, input);
      const { chainUid } = reply.body as { chainUid: ChainUid };
      if (call.services.chains.isConfigured(chainUid)) return reply;
      const warning = `199 vigil "The contract is not watched: no endpoint is configured for ${chainUid}. Set VIGIL_RPC_${chainUid.toUpperCase()} and start Vigil again."`;
      return { ...reply, headers: { ...reply.headers, warning } };
    },
  };
}

export const contract: Resource = {
  ...resource,
  endpoints: resource.endpoints.map((endpoint) =>
    endpoint.effect === 'create' ? warnOfUnwatched(endpoint) : endpoint,
  ),
};

import { Type } from 'typebox';
import { finalitySources } from '../../../chains/chains.ts';
import { Count, Flag, Millis, nullable, OneChain, OneOf, Shape, Text } from '../../../model/schema.ts';
import {
  type ChainChanges,
  type ChainIdentity,
  changeableFacts,
  identityFacts,
  ownChainBody,
} from '../../../services/contracts/ownChain.ts';
import {
  createOwnChain,
  readChain,
  removeOwnChain,
  updateOwnChain,
} from '../../../services/contracts/ownChains.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { chainFacts } from './chainEndpoint.ts';

const tag = 'Chains';
const ofChain = Shape({ uid: Text('The chain.', 'my_chain', { max: 100 }) }, ['uid']);
const shown = {
  ...chainFacts,
  genesis: nullable(Text('Of other families than EVM: what nodes name the network by.', 'signet')),
  confirmations: Count('Blocks that must lie on a block before an action follows from it.', 12),
  finality: OneOf(finalitySources, 'Of EVM chains: what decides that a block is final.', 'finalized'),
  isFixed: Flag('Whether it cannot be changed here: Vigil knows it by itself, or the environment adds it.'),
  createdAt: nullable(Millis('When it was added; null for a chain that Vigil knows by itself.')),
  updatedAt: nullable(Millis('When it last changed.')),
};
const reply = Shape(shown, Object.keys(shown));
const changes = Type.Unsafe<ChainIdentity & ChainChanges>(
  Shape({ ...identityFacts, ...changeableFacts }, []),
);

/** Chains that administrators add beside those that Vigil knows by itself. */
export const ownChainEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/chain',
    tag,
    summary: 'Add a chain',
    description:
      'Any EVM chain by its id, or a further network of another family. From then on every member that names a chain takes it, for ' +
      'every tenant and in every process. `endpoints` are asked for their network first: with one that does not answer or serves ' +
      'another chain nothing is added (422). A network that has a name already is refused (409).',
    body: ownChainBody,
    example: {
      chainUid: 'my_chain',
      name: 'My Chain',
      chainId: 424_242,
      network: 'TESTNET',
      currency: { symbol: 'MYC', decimals: 18 },
      blockTimeMs: 2000,
    },
    reply,
    status: 201,
    effect: 'create',
    problems: ['conflict', 'unprocessable'],
    handle: async (call, { body }) => ({ body: await createOwnChain(call, body) }),
  }),
  endpoint({
    method: 'GET',
    path: '/chain/{uid}',
    tag,
    summary: 'Read the facts of a chain',
    params: ofChain,
    reply,
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: await readChain(call, params.uid) }),
  }),
  endpoint({
    method: 'PUT',
    path: '/chain/{uid}',
    tag,
    summary: 'Change a chain that was added',
    description:
      'Members that are present change, the others stay. What tells the network (`family`, `chainId`, `genesis`) is fixed (409): add ' +
      'another chain for another network.',
    params: ofChain,
    body: changes,
    example: { confirmations: 20, blockTimeMs: 1000 },
    reply,
    effect: 'change',
    problems: ['not-found', 'conflict'],
    handle: async (call, { params, body }) => ({ body: await updateOwnChain(call, params.uid, body) }),
  }),
  endpoint({
    method: 'DELETE',
    path: '/chain/{uid}',
    tag,
    summary: 'Delete a chain that was added',
    description:
      'Refused while contracts or wallets of any tenant are on it (409). Its endpoints go with it; alerts stay, and the name never ' +
      'stands for another network.',
    params: ofChain,
    reply: Shape({ chainUid: OneChain('The chain.') }, ['chainUid']),
    effect: 'change',
    problems: ['not-found', 'conflict'],
    handle: async (call, { params }) => {
      await removeOwnChain(call, params.uid);
      return { body: { chainUid: params.uid } };
    },
  }),
];

import { Type } from 'typebox';
import { type ChainUid, chains, chainUids } from '../chains/chains.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { Count, Flag, List, nullable, OneOf, Shape, Text } from './schema.ts';

const currency = {
  symbol: Text('Symbol.', 'ETH'),
  name: Text('Name.', 'Ether'),
  decimals: Count('Decimals.', 18),
};
const explorer = {
  address: Text('Link to an address; {} stands for it.', 'https://etherscan.io/address/{}'),
  transaction: Text('Link to a transaction; {} stands for it.', 'https://etherscan.io/tx/{}'),
  block: Text('Link to a block; {} stands for it.', 'https://etherscan.io/block/{}'),
};
const chain = {
  chainUid: OneOf(chainUids, 'The chain.', 'ethereum'),
  family: Text('Family of the chain.', 'evm'),
  name: Text('Name of the chain.', 'Ethereum'),
  network: OneOf(['MAINNET', 'TESTNET', 'DEVNET'], 'Kind of network.', 'MAINNET'),
  currency: Shape(currency, Object.keys(currency), 'Native currency.'),
  chainId: nullable(Type.Integer({ description: 'Chain id where there is one.', minimum: 1, examples: [1] })),
  blockTimeMs: Count('Usual time between blocks in milliseconds.', 12_000),
  confirmations: Count('Blocks after which a block counts as confirmed.', 12),
  explorer: nullable(Shape(explorer, Object.keys(explorer), 'Link patterns of a block explorer.')),
  configured: Flag('Whether an RPC endpoint is configured for it here.'),
};

/** Every chain that Vigil knows. */
export function chainEndpoint(
  configured: ReadonlySet<string>,
  confirmations: (uid: ChainUid) => number,
): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/chain',
    tag: 'Chains',
    summary: 'List the chains',
    reply: Shape({ data: List(Shape(chain, Object.keys(chain)), 'Every chain.') }, ['data']),
    effect: 'read',
    handle: async () => ({
      body: {
        data: chainUids.map((uid) => {
          const {
            family,
            name,
            network,
            currency,
            chainId = null,
            blockTimeMs,
            explorer = null,
          } = chains[uid];
          return {
            chainUid: uid,
            family,
            name,
            network,
            currency,
            chainId,
            blockTimeMs,
            confirmations: confirmations(uid),
            explorer,
            configured: configured.has(uid),
          };
        }),
      },
    }),
  });
}

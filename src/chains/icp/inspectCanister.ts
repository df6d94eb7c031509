import { isCanister } from '../../codecs/icp/accounts.ts';
import type { Header } from '../../model/block.ts';
import type { Inspection } from '../../model/contractKinds.ts';
import type { ChainClient } from '../chainClient.ts';
import { readTraits, textIn } from '../readTraits.ts';

/** Recognises a canister by what the network certifies of it, and a ledger by what it answers. */
export async function inspectCanister(
  client: ChainClient,
  header: Header,
  address: string,
): Promise<Inspection> {
  const nothing = { proxyKind: null, implementation: null };
  if (!isCanister(address)) return { ...nothing, hasCode: false, kinds: [], facts: {} };
  const [[hash, controllers], token] = await Promise.all([
    client.readState(header, [
      { type: 'storage', address, key: 'module_hash' },
      { type: 'storage', address, key: 'controllers' },
    ]),
    readTraits(client, header, address),
  ]);
  const code = textIn(hash) ?? '0x';
  const owner = textIn(controllers) ?? '';
  const isToken =
    token.symbol !== undefined && token.decimals !== undefined && token.totalSupply !== undefined;
  return {
    ...nothing,
    hasCode: code !== '0x',
    // Without controllers no one can change it any more.
    kinds: [
      ...(isToken ? (['TOKEN'] as const) : []),
      ...(owner === '' ? [] : (['OWNABLE', 'UPGRADABLE'] as const)),
    ],
    facts: { ...(owner !== '' && { owner }), ...token },
  };
}

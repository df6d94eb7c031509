import type { Header } from '../../model/block.ts';
import type { ContractTraits, Inspection } from '../../model/contractKinds.ts';
import type { ChainClient } from '../chainClient.ts';
import { isCanister } from './candid/accounts.ts';

/** Recognises a canister by what the network certifies of it, and a ledger by what it answers. */
export async function inspectCanister(client: ChainClient, at: Header, address: string): Promise<Inspection> {
  const nothing = { proxyKind: null, implementation: null };
  if (!isCanister(address)) return { ...nothing, hasCode: false, kinds: [], facts: {} };
  const [hash, controllers, symbol, decimals, supply] = await client.readState(at, [
    { type: 'storage', address, key: 'module_hash' },
    { type: 'storage', address, key: 'controllers' },
    { type: 'symbol', asset: address },
    { type: 'decimals', asset: address },
    { type: 'supply', asset: address },
  ]);
  const hasCode = hash !== undefined && 'value' in hash && hash.value !== '0x';
  const owner = controllers && 'value' in controllers ? String(controllers.value) : '';
  const isToken = [symbol, decimals, supply].every((answer) => answer && 'value' in answer);
  const facts: ContractTraits = {
    ...(owner !== '' && { owner }),
    ...(symbol && 'value' in symbol && { symbol: String(symbol.value) }),
    ...(decimals && 'value' in decimals && { decimals: Number(decimals.value) }),
    ...(supply && 'value' in supply && { totalSupply: String(supply.value) }),
  };
  return {
    ...nothing,
    hasCode,
    // Without controllers no one can change it any more.
    kinds: [
      ...(isToken ? (['TOKEN'] as const) : []),
      ...(owner === '' ? [] : (['OWNABLE', 'UPGRADABLE'] as const)),
    ],
    facts,
  };
}

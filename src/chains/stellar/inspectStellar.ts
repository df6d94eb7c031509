import { type Spec, specOf } from '../../codecs/stellar/spec.ts';
import type { Header } from '../../model/block.ts';
import type { ContractKind, Inspection } from '../../model/contractKinds.ts';
import type { ChainClient } from '../chainClient.ts';
import { readTraits, textIn } from '../readTraits.ts';

/** Functions of SEP-41, which every token has. */
const tokenFunctions = ['allowance', 'balance', 'decimals', 'symbol', 'transfer'];

/** Recognises a contract by the functions of its spec, and what a token says of itself. */
export async function inspectStellar(
  client: ChainClient,
  header: Header,
  address: string,
): Promise<Inspection> {
  const abi = address.startsWith('C') ? await client.findInterface?.(address) : undefined;
  const [hash] = await client.readState(header, [{ type: 'storage', address, key: 'module_hash' }]);
  const hasCode = textIn(hash) !== undefined;
  const kinds = hasCode ? kindsOf(specOf(abi ?? [])) : [];
  return {
    hasCode,
    kinds,
    proxyKind: null,
    implementation: null,
    facts: kinds.includes('TOKEN') ? await readTraits(client, header, address) : {},
  };
}

function kindsOf(spec: Spec | undefined): ContractKind[] {
  const has = (...names: string[]) => names.some((name) => spec?.functions.has(name));
  return [
    ...(tokenFunctions.every((name) => has(name)) ? (['TOKEN'] as const) : []),
    ...(has('upgrade', 'update_contract') ? (['UPGRADABLE'] as const) : []),
    ...(has('owner', 'get_owner', 'admin', 'get_admin', 'set_admin', 'transfer_ownership')
      ? (['OWNABLE'] as const)
      : []),
    ...(has('grant_role', 'has_role') ? (['ACCESS_CONTROL'] as const) : []),
    ...(has('pause', 'paused', 'is_paused') ? (['PAUSABLE'] as const) : []),
  ];
}

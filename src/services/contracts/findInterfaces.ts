import type { Chain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import type { Interfaces } from '../../model/detection.ts';
import type { Call } from '../call.ts';
import { settleSoon } from '../records/settleSoon.ts';

/** The interfaces that contracts carry themselves, for which a node answers soon; none where contracts carry none. */
export async function findInterfaces(
  call: Call,
  chain: Chain,
  addresses: readonly string[],
): Promise<Interfaces> {
  const client = call.services.chains.client(chain.uid);
  const interfaces = await Promise.all(
    [...new Set(addresses)].map(async (address) => {
      const read = families[chain.family].readAddress(address, chain);
      const findInterface = client?.findInterface;
      if ('fault' in read || !findInterface) return [];
      const answer = await settleSoon(call)(async () => ({ abi: await findInterface(read.canonical) }));
      return answer ? [[address, answer.abi ?? null] as const] : [];
    }),
  );
  return new Map(interfaces.flat());
}

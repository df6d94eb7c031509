import { artifacts } from '../../../testing/contracts/artifacts.ts';
import type { Anvil } from '../../../testing/startAnvil.ts';

/** A vault behind an EIP-1967 proxy, and the next version of it. */
export async function deployProxy(anvil: Anvil) {
  const [owner] = anvil.accounts;
  const [first, second] = [await anvil.deploy(artifacts.VaultV1), await anvil.deploy(artifacts.VaultV2)];
  const call = first.encode('initialize', owner);
  const proxy = await anvil.deploy(artifacts.ERC1967Proxy, first.address, call);
  return { owner, first, second, proxy, vault: anvil.at(proxy.address, artifacts.VaultV1.abi) };
}

import type { Hex } from 'ox';
import { type Artifact, artifacts } from '../testing/contracts/artifacts.ts';
import { type Contract, encodeDeployment } from '../testing/createContract.ts';
import type { Anvil } from '../testing/startAnvil.ts';

/** What stands on the demo's chain, and who acts there. */
export type World = {
  token: Contract;
  /** Behind a proxy that can be upgraded to any of the implementations. */
  vault: Contract;
  implementations: readonly Contract[];
  multisig: Contract;
  /** The victim: anybody may empty it. */
  pool: Contract;
  lender: Contract;
  attackContract: Contract;
  treasury: Hex.Hex;
  deputy: Hex.Hex;
  users: readonly Hex.Hex[];
  attacker: Hex.Hex;
};

/** Whole tokens or coins in their smallest unit. */
export const units = (whole: number): bigint => BigInt(Math.round(whole * 1000)) * 10n ** 15n;

export const poolSize = units(500_000);

/** Deploys everything in few blocks, because each block puts the chain's clock a second ahead. */
export async function deploy(anvil: Anvil): Promise<World> {
  const [treasury, deputy, ...others] = anvil.accounts;
  const users = others.slice(0, 6);
  const attacker = others[6]!;

  const [token, first, second, singleton, pool, lender, attackContract] = await deployTogether(anvil, [
    [artifacts.Token, 'Demo Dollar', 'DUSD', 18, units(100_000_000)],
    [artifacts.VaultV1],
    [artifacts.VaultV2],
    [artifacts.SafeLike],
    [artifacts.VaultV1],
    [artifacts.FlashLender],
    [artifacts.Attacker],
  ]);
  const [vaultProxy, safeProxy] = await deployTogether(anvil, [
    [artifacts.ERC1967Proxy, first.address, first.encode('initialize', treasury)],
    [artifacts.SafeProxy, singleton.address],
  ]);
  const vault = anvil.at(vaultProxy.address, artifacts.VaultV2.abi);
  const multisig = anvil.at(safeProxy.address, artifacts.SafeLike.abi);

  const give = (to: string, amount: bigint) => ({
    to: token.address,
    data: token.encode('transfer', to, amount),
  });
  await anvil.sendTogether([
    ...users.map((user) => give(user, units(1_000_000))),
    give(pool.address, poolSize),
    give(lender.address, units(1_000_000)),
    { to: multisig.address, value: units(1000) },
    { to: multisig.address, data: multisig.encode('setup', users.slice(0, 3), 2n) },
    ...users.map((from) => ({
      from,
      to: token.address,
      data: token.encode('approve', vault.address, 2n ** 256n - 1n),
    })),
  ]);
  await anvil.setAutomine(false);
  // Vigil begins at the newest block, which should not be the one above.
  await anvil.mine();
  return {
    token,
    vault,
    implementations: [first, second],
    multisig,
    pool,
    lender,
    attackContract,
    treasury,
    deputy,
    users,
    attacker,
  };
}

type Plan = readonly [Artifact, ...unknown[]];

/** Contracts that do not need one another's addresses, in one block. */
async function deployTogether<const P extends readonly Plan[]>(
  anvil: Anvil,
  plans: P,
): Promise<{ [K in keyof P]: Contract }>;
async function deployTogether(anvil: Anvil, plans: readonly Plan[]): Promise<Contract[]> {
  const receipts = await anvil.sendTogether(
    plans.map(([artifact, ...args]) => ({ data: encodeDeployment(artifact, args) })),
  );
  return receipts.map(({ contractAddress, status }, at) => {
    if (status !== 'success' || !contractAddress) throw new Error('A constructor of the demo reverted.');
    return anvil.at(contractAddress, plans[at]![0].abi);
  });
}

import type { Contract } from '../testing/createContract.ts';
import { poolSize, units, type World } from './deploy.ts';

/** A transaction of the demo: who calls what. */
export type Step = { from: string; to: string; data?: string; value?: bigint };
type Scene = (world: World) => Promise<Step[]>;

const step = (from: string, contract: Contract, name: string, ...args: unknown[]): Step => ({
  from,
  to: contract.address,
  data: contract.encode(name, ...args),
});

/** What each user does all the time; the vault is left as full as it was. */
export function everyday({ users, token, vault }: World): Step[][] {
  return users.map((user) => {
    const amount = units(random(10, 500));
    return [
      step(user, token, 'transfer', pick(users), units(random(1, 500))),
      step(user, vault, 'depositToken', token.address, amount),
      step(user, token, 'transfer', pick(users), units(random(1, 500))),
      step(user, vault, 'withdrawToken', token.address, amount),
    ];
  });
}

/**
 * What happens now and then. The chain is asked how things stand, since a reorganisation may have undone the last
 * scene.
 */
const moveMuch: Scene = async ({ treasury, users, token }) => {
  const user = pick(users);
  return [
    step(treasury, token, 'transfer', user, units(250_000)),
    step(user, token, 'transfer', treasury, units(random(200_000, 250_000))),
  ];
};

const handOverToken: Scene = async ({ token, treasury, deputy }) => {
  const owner = await token.call('owner');
  const [from, to] = owner === treasury ? [treasury, deputy] : [deputy, treasury];
  return [step(from, token, 'transferOwnership', to), step(to, token, 'acceptOwnership')];
};

const handOverVault: Scene = async (world) => {
  const { vault, treasury, deputy } = world;
  const owner = await vaultOwner(world);
  return [step(owner, vault, 'transferOwnership', owner === treasury ? deputy : treasury)];
};

const upgradeVault: Scene = async (world) => {
  const { vault, implementations } = world;
  const version = Number(await vault.call('version'));
  const next = implementations[version % implementations.length]!;
  return [step(await vaultOwner(world), vault, 'upgradeToAndCall', next.address, '0x')];
};

const drainPool: Scene = async ({ attacker, attackContract, lender, token, pool }) => {
  const provider = Math.floor(random(0, 3));
  return [
    step(
      attacker,
      attackContract,
      'attack',
      lender.address,
      provider,
      token.address,
      units(1_000_000),
      pool.address,
    ),
  ];
};

const refillPool: Scene = async ({ token, treasury, deputy, pool }) => {
  const from = (await token.call('owner')) === treasury ? treasury : deputy;
  return [step(from, token, 'mint', pool.address, poolSize)];
};

const changeRole: Scene = async ({ token, treasury, attacker }) => {
  const role = await token.call('MINTER_ROLE');
  const hasRole = await token.call('hasRole', role, attacker);
  return [step(treasury, token, hasRole ? 'revokeRole' : 'grantRole', role, attacker)];
};

const useMultisig: Scene = async ({ multisig, users, deputy }) => {
  const owners = await multisig.call('getOwners');
  const isMember = Array.isArray(owners) && owners.some((owner) => String(owner).toLowerCase() === deputy);
  const [member] = users;
  const zero = `0x${'0'.repeat(40)}`;
  return [
    { from: pick(users), to: multisig.address, value: units(random(5, 50)) },
    step(member!, multisig, 'execTransaction', pick(users), units(5), '0x', 0, 0, 0, 0, zero, zero, '0x'),
    isMember
      ? step(member!, multisig, 'removeOwner', deputy)
      : step(member!, multisig, 'addOwnerWithThreshold', deputy, 2n),
  ];
};

/** While the vault is paused, every deposit fails. */
const pauseOrResume: Scene = async (world) => {
  const isPaused = await world.vault.call('paused');
  return [step(await vaultOwner(world), world.vault, isPaused ? 'unpause' : 'pause')];
};

const trustAttacker: Scene = async ({ users, token, attackContract }) => [
  step(pick(users), token, 'approve', attackContract.address, 2n ** 256n - 1n),
];

const withdrawMuch: Scene = async ({ users, token, vault }) => {
  const user = pick(users);
  const amount = units(random(50_000, 90_000));
  return [
    step(user, vault, 'depositToken', token.address, amount),
    step(user, vault, 'withdrawToken', token.address, amount),
  ];
};

/** One round. The reorganisation undoes the scene before it; an attack is stopped before it lands. */
export const scenes: readonly (Scene | 'reorganise' | 'stopAttack')[] = [
  moveMuch,
  drainPool,
  handOverVault,
  'reorganise',
  'stopAttack',
  upgradeVault,
  handOverToken,
  refillPool,
  changeRole,
  useMultisig,
  pauseOrResume,
  pauseOrResume,
  trustAttacker,
  withdrawMuch,
];

async function vaultOwner({ vault, treasury, deputy }: World): Promise<string> {
  const owner = await vault.call('owner');
  return String(owner).toLowerCase() === treasury ? treasury : deputy;
}

function random(low: number, high: number): number {
  return low + Math.random() * (high - low);
}

function pick<T>(choices: readonly T[]): T {
  return choices[Math.floor(Math.random() * choices.length)]!;
}

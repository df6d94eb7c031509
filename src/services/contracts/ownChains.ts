import { type Chain, isSeedUid } from '../../chains/chains.ts';
import { type Fault, Problem } from '../../model/errors.ts';
import { invalidInput } from '../../model/validate.ts';
import {
  countUsesOfChain,
  deleteOwnChain,
  findOwnChains,
  lockOwnChain,
  lockOwnChains,
  type OwnChain,
  saveOwnChain,
} from '../../store/contracts/ownChains.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { addEndpoint, chainOf, noChain } from './chainEndpoints.ts';
import {
  type ChainChanges,
  type ChainIdentity,
  changeFacts,
  type OwnChainInput,
  toOwnChain,
} from './ownChain.ts';
import { takenBy } from './takenBy.ts';

/** The facts of a chain as they are shown. */
export type ShownChain = ReturnType<typeof toShown>;

export async function readChain(call: Call, uid: string): Promise<ShownChain> {
  const chain = chainOf(call, uid);
  const [ownChain] = isSeedUid(uid) ? [] : await findOwnChains(call.db, uid);
  return toShown(call, ownChain?.chain ?? chain, ownChain);
}

/** The chain and its endpoints, which must lead to it; every process knows it as soon as the change is committed. */
export async function createOwnChain(call: Call, input: OwnChainInput): Promise<ShownChain> {
  const { chain, identity } = orThrow(toOwnChain(input));
  await lockOwnChains(call.db);
  const fault = takenBy({ chain, identity }, await findOwnChains(call.db));
  if (fault) throw new Problem('conflict', fault.message, { errors: [fault] });
  const created = await saveOwnChain(call.db, { chain, identity }, call.now);
  await audit(call, 'chain', 'create', platform, undefined, chain);
  for (const [index, url] of (input.endpoints ?? []).entries())
    await addEndpoint(call, chain, { url }, `/endpoints/${index}`);
  await call.services.reloadChains();
  return toShown(call, chain, created);
}

export async function updateOwnChain(
  call: Call,
  uid: string,
  input: ChainIdentity & ChainChanges,
): Promise<ShownChain> {
  const { family: _family, chainId: _chainId, genesis: _genesis, ...changes } = input;
  await lockOwnChains(call.db);
  const current = await findChangeable(call, uid);
  refuseOtherNetwork(current.chain, input);
  const { chain } = orThrow(changeFacts(current.chain, changes));
  const { identity } = current;
  const updated = await saveOwnChain(call.db, { chain, identity }, call.now);
  await audit(call, 'chain', 'update', platform, current.chain, chain, { chainUid: uid });
  await call.services.reloadChains();
  return toShown(call, chain, updated);
}

/** Its endpoints go with it. What stands on it must go first, so that nothing is left unwatched without a word. */
export async function removeOwnChain(call: Call, uid: string): Promise<void> {
  await lockOwnChains(call.db);
  const current = await findChangeable(call, uid);
  await lockOwnChain(call.db, uid);
  const { contracts, wallets, wasUsed } = await countUsesOfChain(call.db, uid);
  const uses = [count(contracts, 'contract'), count(wallets, 'wallet')].filter(Boolean);
  if (uses.length > 0)
    throw new Problem(
      'conflict',
      `${uses.join(' and ')} of tenants ${contracts + wallets === 1 ? 'is' : 'are'} on ${current.chain.name} (${uid}); delete ${contracts + wallets === 1 ? 'it' : 'them'} first.`,
    );
  await deleteOwnChain(call.db, { uid, wasUsed }, call.now);
  await audit(call, 'chain', 'delete', platform, current.chain, undefined);
  await call.services.reloadChains();
}

const platform = { id: null, tenantId: null };

function count(number: number, word: string): string {
  return number === 0 ? '' : `${number} ${word}${number === 1 ? '' : 's'}`;
}

async function findChangeable(call: Call, uid: string): Promise<OwnChain> {
  if (isSeedUid(uid))
    throw new Problem('conflict', `${uid} is a chain that Vigil knows by itself: it cannot be changed.`);
  const [ownChain] = await findOwnChains(call.db, uid);
  if (!ownChain || ownChain.isDeleted) throw noChain();
  if (call.services.fixedChains.has(uid))
    throw new Problem(
      'conflict',
      `${uid} is fixed: it stands in VIGIL_CHAINS. Change the setting and restart Vigil.`,
    );
  return ownChain;
}

/** Contracts, wallets and alerts of one network must not become those of another. */
function refuseOtherNetwork(chain: Chain, given: ChainIdentity): void {
  const faults = (['family', 'chainId', 'genesis'] as const).flatMap((member): Fault[] =>
    given[member] === undefined || given[member] === (chain[member] ?? null)
      ? []
      : [
          {
            pointer: `/${member}`,
            code: 'fixed',
            message: 'tells the network and cannot change; add another chain, and delete this one.',
          },
        ],
  );
  const [first] = faults;
  if (first) throw new Problem('conflict', `${first.pointer}: ${first.message}`, { errors: faults });
}

function orThrow<T extends object>(result: T | { faults: Fault[] }): T {
  if ('faults' in result) throw invalidInput(result.faults);
  return result;
}

function toShown(
  { services }: Call,
  {
    uid,
    family,
    name,
    network,
    currency,
    chainId,
    genesis,
    explorer,
    blockTimeMs,
    confirmations,
    finality,
  }: Chain,
  ownChain: OwnChain | undefined,
) {
  return {
    chainUid: uid,
    family,
    name,
    network,
    currency,
    chainId: chainId ?? null,
    genesis: genesis ?? null,
    explorer: explorer ? { transaction: null, block: null, ...explorer } : null,
    blockTimeMs,
    confirmations,
    finality: finality ?? 'finalized',
    isOwn: ownChain !== undefined,
    isFixed: ownChain === undefined || services.fixedChains.has(uid),
    createdAt: ownChain?.createdAt ?? null,
    updatedAt: ownChain?.updatedAt ?? null,
  };
}

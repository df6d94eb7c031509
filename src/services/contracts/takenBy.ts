import { type Chain, chains } from '../../chains/chains.ts';
import { identityOf } from '../../chains/networkForms.ts';
import type { Fault } from '../../model/errors.ts';
import type { OwnChain } from '../../store/contracts/ownChains.ts';

/** Reason why the chain cannot be added beside the existing ones. */
export function takenBy(
  { chain, identity }: Pick<OwnChain, 'chain' | 'identity'>,
  ownChains: readonly OwnChain[],
): Fault | undefined {
  const former = ownChains.find((candidate) => candidate.chain.uid === chain.uid);
  if (former && !former.isDeleted)
    return taken('/chainUid', `There is a chain ${chain.uid} already; change it, or choose another name.`);
  return differsFrom({ chain, identity }, ownChains) ?? sameNetwork({ chain, identity }, ownChains);
}

/** A name never stands for another network than before: contracts, wallets and alerts have it. */
export function differsFrom(
  { chain, identity }: Pick<OwnChain, 'chain' | 'identity'>,
  ownChains: readonly OwnChain[],
): Fault | undefined {
  const former = ownChains.find((candidate) => candidate.chain.uid === chain.uid);
  if (!former || former.identity === identity) return undefined;
  return taken(
    '/chainUid',
    `${chain.uid} ${former.isDeleted ? 'was' : 'is'} the name of another network (${wordsOf(former.chain)}); choose another name.`,
  );
}

/** Two names for one network would watch it twice, and sign for both. */
export function sameNetwork(
  { chain, identity }: Pick<OwnChain, 'chain' | 'identity'>,
  ownChains: readonly OwnChain[],
): Fault | undefined {
  const same =
    Object.values(chains).find((seed) => identityOf(seed) === identity) ??
    ownChains.find(
      (candidate) =>
        !candidate.isDeleted && candidate.chain.uid !== chain.uid && candidate.identity === identity,
    )?.chain;
  const pointer = chain.family === 'evm' ? '/chainId' : '/genesis';
  return (
    same &&
    taken(
      pointer,
      `${chain.uid} cannot be added: ${wordsOf(chain)} is that of ${same.name}; use its chainUid ${same.uid}.`,
    )
  );
}

function taken(pointer: string, message: string): Fault {
  return { pointer, code: 'not-unique', message };
}

function wordsOf({ chainId, genesis }: Chain): string {
  return chainId === undefined ? `the network ${genesis}` : `the chain id ${chainId}`;
}

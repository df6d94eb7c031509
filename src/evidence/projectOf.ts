import type { ContractFacts } from '../model/detection.ts';

/** True for the contract itself and for what is watched beside it in its project: one protocol is robbed at several of them. */
export function projectOf({ address: watched, projectId, own: watchedContracts = {} }: ContractFacts) {
  return (address: string): boolean =>
    address === watched || watchedContracts[address]?.projectId === projectId;
}

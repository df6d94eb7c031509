import type { Change } from '../model/block.ts';
import type { ContractFacts, Interest } from '../model/detection.ts';

/** Changes of the contract itself, and of where its code lies, which has an owner of its own on some chains. */
export function changesOf(
  { address, implementation }: ContractFacts,
  keys: readonly Change['what'][],
): Interest[] {
  const subjects = implementation === null ? [address] : [address, implementation];
  return subjects.map((subject) => ({ on: 'change', address: subject, keys }));
}

import type { Transaction } from '../../model/block.ts';
import type { ContractFacts } from '../../model/detection.ts';

/** Who sent a transaction to whom, without the full stop. */
export function sentence({ from, to }: Transaction, { address, name }: ContractFacts): string {
  const sender = from === address ? name : from;
  if (to === null) return `${sender} sent a transaction that creates a contract`;
  return `${sender} sent a transaction to ${to === address ? name : to}`;
}

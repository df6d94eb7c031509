import type { ContractFacts } from '../../model/detection.ts';
import type { ObservedCall } from '../../model/frames.ts';

/** Who sent a transaction to whom, without the full stop. */
export function sentence(
  { from, to, isInner = false }: Pick<ObservedCall, 'from' | 'to'> & Partial<ObservedCall>,
  { address, name }: ContractFacts,
): string {
  const sender = from === address ? name : from;
  if (to === null) return `${sender} sent a transaction that creates a contract`;
  if (isInner) return `${sender} called ${to === address ? name : to} within a transaction`;
  return `${sender} sent a transaction to ${to === address ? name : to}`;
}

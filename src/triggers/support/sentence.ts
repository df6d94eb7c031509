import type { Transaction } from '../../model/block.ts';
import type { ContractFacts } from '../../model/detection.ts';
import type { ObservedCall } from '../../model/frames.ts';

/** Sender and receiver of a transaction as a sentence, without the full stop. */
export function sentence(
  {
    from,
    to,
    isInner = false,
    parties,
  }: Pick<ObservedCall, 'from' | 'to'> & Partial<ObservedCall & Pick<Transaction, 'parties'>>,
  { address, name }: ContractFacts,
): string {
  const sender = from === address ? name : from;
  if (parties) return `${sender} sent a transaction${from === address ? '' : ` that touches ${name}`}`;
  if (to === null) return `${sender} sent a transaction that creates a contract`;
  if (isInner) return `${sender} called ${to === address ? name : to} within a transaction`;
  return `${sender} sent a transaction to ${to === address ? name : to}`;
}

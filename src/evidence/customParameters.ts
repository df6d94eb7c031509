import { Type } from 'typebox';
import type { ContractFacts, Reader } from '../model/detection.ts';
import type { Fault } from '../model/errors.ts';
import { Addresses, Choice } from './parameters.ts';

/** Members that the three custom kinds share. */
export const addressesMember = Addresses('Further addresses to watch beside the contract.');

export const statusMember = Choice(
  'Whether the transaction must have succeeded, must have failed, or may have done either.',
  ['any', 'success', 'failed'],
  'any',
);

export function Expression(description: string) {
  return Type.String({
    description: `${description} Addresses in it may be written in any form of the chain.`,
    format: 'script',
    default: 'true',
    minLength: 1,
    maxLength: 10_000,
  });
}

export function watchedAddresses(addresses: readonly string[], contract: ContractFacts): string[] {
  return [...new Set([contract.address, ...addresses])];
}

/** Why a signature cannot be used with the contract's interface. */
export function signatureFaults(read: () => unknown): Fault[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ pointer: '/signature', code: 'not-in-abi', message: error.message }];
  }
}

/** Members of a finding about its transaction, */
export const transactionFields = ['from', 'to', 'value', 'txHash', 'blockNumber', 'timestamp'];

/** and about its outcome, where it was read. */
export const outcomeFields = ['status', 'gasUsed', 'gasPrice'];

/** The outcome of the transaction, read only where the configuration or the expression uses it. */
export function outcomeOf(
  read: Reader,
  { status, expression }: { status: 'any' | 'success' | 'failed'; expression: string },
  transactionHash: string,
): { isWanted: boolean; values: Readonly<Record<string, unknown>> } {
  if (status === 'any' && !/status|gasUsed|gasPrice/i.test(expression)) return { isWanted: true, values: {} };
  const { isSuccess, used: gasUsed, price: gasPrice } = read.receipt(transactionHash);
  const ended = isSuccess ? 'success' : 'failed';
  return { isWanted: status === 'any' || status === ended, values: { status: ended, gasUsed, gasPrice } };
}

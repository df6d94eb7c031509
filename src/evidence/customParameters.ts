import { Type } from 'typebox';
import type { Transaction } from '../model/block.ts';
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

/** Reasons why a signature cannot be used with the contract's interface. */
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

/** about how it was sent, where the expression names them, */
export const senderFields = ['nonce', 'priorityFee', 'gasLimit', 'maxFeePerGas', 'transactionIndex'];

/** True if an expression may read a member; costly members are made only then. */
function isNamed(expression: string, name: string): boolean {
  return expression.toLowerCase().includes(name.toLowerCase());
}

/**
 * Members of the sending transaction, with those of its family, for expressions. `input` may be of a call within it.
 */
export function senderMembers(
  transaction: Transaction,
  expression: string,
  input = transaction.input,
): Record<string, unknown> {
  const { nonce, priorityFee, gas, maxFee, index, calls } = transaction;
  const names = ['logs', 'accounts', 'instructions', 'operations'];
  const isOwn = names.some((name) => isNamed(expression, name));
  return {
    ...(isNamed(expression, 'input') && { input }),
    selector: input.length >= 10 ? input.slice(0, 10) : '0x',
    nonce,
    priorityFee,
    ...(gas !== undefined && { gasLimit: gas }),
    ...(maxFee !== undefined && { maxFeePerGas: maxFee }),
    transactionIndex: index,
    ...(calls &&
      isNamed(expression, 'programs') && {
        programs: [...new Set(calls.map(({ contract: called }) => called))],
      }),
    ...(isOwn && transaction.ownMembers?.()),
  };
}

/** Those that the expression names, for the evidence of an alert. */
export function shownMembers(
  members: Readonly<Record<string, unknown>>,
  expression: string,
): Record<string, unknown> {
  return Object.fromEntries(
    senderFields.flatMap((name) =>
      members[name] !== undefined && isNamed(expression, name) ? [[name, members[name]]] : [],
    ),
  );
}

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

import type { AbiFunction, AbiParameter } from 'abitype';
import type { Chain } from './chains.ts';
import type { ChainCall, Failure, Terms } from './transactor.ts';

/** A function as it is stored with an action: its name and its inputs, whose types are the family's own words. */
export type FunctionItem = AbiFunction;
type FunctionInput = AbiParameter;

/** The notation for calls of a family; nothing here connects to a node. */
export type FamilyActions = {
  /** The smallest unit of the currency, in which costs are given: wei, satoshi. */
  readonly costUnit: string;
  /** The cost of a call, in the middle of a sentence: gas, or payments and fees. */
  readonly costName: string;
  /** The unit of prices that actions and wallets are set to: gwei, sat/vB. */
  readonly priceUnit: string;
  /** Calls are payments: a wallet's `allowedCalls` name whom it may pay, and not the contract of the action. */
  readonly isPayment?: true;
  /** Limits of a new wallet unless set otherwise, in that unit and in the chain's currency; null without a limit. */
  defaultLimits(chain: Chain): { maxGasPrice: string | null; maxHourlySpend: string | null };
  /** The function of a signature such as `pause()`, given the contract's interface; throws a RangeError that says what would be right. */
  parseFunction(signature: string, abi: readonly unknown[]): FunctionItem;
  /** Equal for signatures of the same function. */
  functionKey(item: FunctionItem): string;
  /**
   * The value that an input takes, from what people write; `place` names it in the RangeError of a wrong one. The chain matters
   * where networks of the family write addresses differently.
   */
  readValue(input: FunctionInput, value: unknown, label?: string, chain?: Chain): unknown;
  /** The call, of values that `readValue` gave; `contract` is the address of the action's contract. */
  encode(item: FunctionItem, values: readonly unknown[], contract: string): ChainCall;
  /** The reason of a failed call, in the words of the contract's interface where it has some. */
  explain(failure: Failure, abi: readonly unknown[]): string;
  /** Terms that mean nothing in the family; undefined when all fit. */
  termsFault?(
    terms: Omit<Terms, 'maxPrice'>,
  ): { member: 'price' | 'limit' | 'tip'; reason: string } | undefined;
};

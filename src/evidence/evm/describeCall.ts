import {
  canonicalSignature,
  type EventItem,
  type FunctionItem,
  tryDecodeCall,
} from '../../codecs/evm/abi.ts';
import { approvalEvent, transferEvent } from '../../codecs/evm/eventSignatures.ts';
import { functionNamed } from '../../codecs/evm/functionNamed.ts';
import { showValue } from '../../lib/showValue.ts';
import type { ChainFacts, Reader } from '../../model/detection.ts';
import { showAmount, showPayment } from '../amounts.ts';
import { assetFacts } from './tokens.ts';

export type DescribedCall = { readonly to: string; readonly value: bigint; readonly data: string };

type Context = { read: Reader; chain: ChainFacts; abi: readonly unknown[] };

/**
 * A call in a sentence: `transfer(to: 0x…, amount: 1,000 USDC) of 0x… with 1 ETH`. Functions are known by the contract's ABI or
 * as those by which funds and rights usually move.
 */
export function describeCall({ read, chain, abi }: Context, { to, value, data }: DescribedCall): string {
  const payment = showPayment(value, chain);
  if (data.length < 10) return payment ? `a payment${payment} to ${to}` : `an empty call to ${to}`;
  const item = functionNamed(data.slice(0, 10), abi);
  const args = item && tryDecodeCall(item, data);
  if (!item || !args) return `the function ${data.slice(0, 10)} of ${to}${payment}`;
  return `${item.name}(${showArguments(read, chain, to, item, args)}) of ${to}${payment}`;
}

/** The values of a call or an event in a sentence; what a token moves or allows is in whole tokens. */
export function showArguments(
  read: Reader,
  chain: ChainFacts,
  address: string,
  item: FunctionItem | EventItem,
  args: Readonly<Record<string, unknown>>,
): string {
  const index = amountPlaces.get(canonicalSignature(item));
  const input = index === undefined ? undefined : item.inputs[index];
  // An indexed value is the number of a unique token.
  if (!input || ('indexed' in input && input.indexed)) return showValue(args);
  const name = input.name || String(index);
  const amount = args[name];
  if (typeof amount !== 'bigint' || amount >= endless) return showValue(args);
  // An alert does not wait for how its amount reads.
  const facts = read.optional(() => assetFacts(read, chain, address));
  return showValue(facts ? { ...args, [name]: showAmount(amount, facts) } : args);
}

const ofToken: ReadonlySet<string> = new Set([
  'balanceOf(address)',
  'totalSupply()',
  'allowance(address,address)',
]);

/** Formats results of a function for a sentence: amounts of a token itself in whole tokens. */
export function createShowResult(
  read: Reader,
  chain: ChainFacts,
  address: string,
  item: FunctionItem,
): (value: unknown) => string {
  const isAmount = ofToken.has(canonicalSignature(item)) && item.outputs.length === 1;
  const facts = isAmount ? read.optional(() => assetFacts(read, chain, address)) : undefined;
  return (value) =>
    facts && /^\d+$/.test(String(value)) ? showAmount(BigInt(String(value)), facts) : showValue(value);
}

/** `pause()`, or the selector where no one knows the name. */
export function functionName(selector: string, abi: readonly unknown[]): string {
  const item = functionNamed(selector, abi);
  return item ? canonicalSignature(item) : selector;
}

/** More than this is an approval of any amount. */
const endless = 2n ** 255n;

/** Index of the argument that is an amount of the token itself. */
const amountPlaces: ReadonlyMap<string, number> = new Map([
  [transferEvent, 2],
  [approvalEvent, 2],
  ['transfer(address,uint256)', 1],
  ['transferFrom(address,address,uint256)', 2],
  ['approve(address,uint256)', 1],
  ['increaseAllowance(address,uint256)', 1],
  ['mint(address,uint256)', 1],
  ['burn(address,uint256)', 1],
]);

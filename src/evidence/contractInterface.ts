import {
  decodeEvent,
  type EventItem,
  type FunctionItem,
  parseEvent,
  parseFunction,
  selectorOf,
  topicOf,
  tryDecodeCall,
} from '../codecs/evm/abi.ts';
import { eventByTopic, eventItem, functionBySelector, functionItem } from '../codecs/evm/abiItems.ts';
import type { Log } from '../model/block.ts';
import { findNamed } from './dialects.ts';

type Values = Readonly<Record<string, unknown>>;

/** An event of a contract's interface, whatever its family writes interfaces in. */
type EventShape = {
  readonly item: EventItem;
  /** As logs and interests name it. */
  readonly key: string;
  decode(log: Log): Values;
};

type FunctionShape = {
  readonly item: FunctionItem;
  readonly key: string;
  /** Undefined for input that is not of the function. */
  decode(input: string, accounts?: readonly string[]): Values | undefined;
};

/** By its signature or, where the contract has an Anchor IDL or a Soroban spec, by its name; a RangeError says what would be right. */
export function eventShape(signature: string, abi: readonly unknown[]): EventShape {
  const named = findNamed((dialect) => dialect.event, signature, abi);
  if (named) return named;
  refuseName(signature);
  const item = eventItem(signature, abi);
  return { item, key: topicOf(parseEvent(signature)), decode: (log) => decodeEvent(item, log) };
}

/** The one that a log is of; undefined where the interface has none. */
export function eventByKey(key: string, abi: readonly unknown[]): EventShape | undefined {
  const named = findNamed((dialect) => dialect.eventByKey, key, abi);
  if (named) return named;
  const item = eventByTopic(key, abi);
  return item && { item, key, decode: (log) => decodeEvent(item, log) };
}

export function functionShape(signature: string, abi: readonly unknown[]): FunctionShape {
  const named = findNamed((dialect) => dialect.function, signature, abi);
  if (named) return named as FunctionShape;
  refuseName(signature);
  const item = functionItem(signature, abi);
  const key = selectorOf(parseFunction(signature));
  return { item, key, decode: (input) => tryDecodeCall(item, input) };
}

export function functionByKey(key: string, abi: readonly unknown[]): FunctionShape | undefined {
  const named = findNamed((dialect) => dialect.functionByKey, key, abi);
  if (named) return named as FunctionShape;
  const item = functionBySelector(key, abi);
  return item && { item, key, decode: (input) => tryDecodeCall(item, input) };
}

function refuseName(signature: string): void {
  if (!signature.includes('('))
    throw new RangeError(
      `"${signature}" is a name alone, which only an Anchor IDL or a Soroban spec in the contract's abi explains; elsewhere give the types as well, such as ${signature}(uint256).`,
    );
}

import type { AbiParameter } from 'abitype';
import { type EventItem, type FunctionItem, parseEvent, parseFunction, selectorOf, topicOf } from './abi.ts';

/** The event of a written signature; where that has types alone, the contract's ABI adds names and what is indexed. */
export function eventItem(signature: string, abi: readonly unknown[]): EventItem {
  return events(abi, signature, () => {
    const written = parseEvent(signature);
    if (written.inputs.some(({ name, indexed }) => name || indexed)) return written;
    return eventByTopic(topicOf(written), abi) ?? written;
  });
}

export function eventByTopic(topic: string, abi: readonly unknown[]): EventItem | undefined {
  return abi.find((item): item is EventItem => isOf(item, 'event') && topicOf(item) === topic);
}

/** The same for a function. */
export function functionItem(signature: string, abi: readonly unknown[]): FunctionItem {
  return calls(abi, signature, () => {
    const written = parseFunction(signature);
    if (written.inputs.some(({ name }) => name)) return written;
    return functionBySelector(selectorOf(written), abi) ?? written;
  });
}

export function functionBySelector(selector: string, abi: readonly unknown[]): FunctionItem | undefined {
  return abi.find((item): item is FunctionItem => isOf(item, 'function') && selectorOf(item) === selector);
}

/** The functions of an ABI whose names match. */
export function functionsNamed(name: RegExp, abi: readonly unknown[]): FunctionItem[] {
  return abi.filter((item): item is FunctionItem => isOf(item, 'function') && name.test(item.name));
}

/** A function that gives something: as written, or as the ABI has it. */
export function functionWithResults(signature: string, abi: readonly unknown[]): FunctionItem {
  return readings(abi, signature, () => {
    const written = parseFunction(signature);
    if (written.outputs.length > 0) return written;
    const named = functionBySelector(selectorOf(written), abi);
    if (named && named.outputs.length > 0) return named;
    throw new RangeError(`${signature} does not say what it gives; write for example ${signature}(uint256).`);
  });
}

const events = createCache<EventItem>();
const calls = createCache<FunctionItem>();
const readings = createCache<FunctionItem>();

/** Hashing every item of an ABI for every event would cost more than all the rest. */
function createCache<T>(): (abi: readonly unknown[], signature: string, make: () => T) => T {
  const made = new WeakMap<readonly unknown[], Map<string, T>>();
  return (abi, signature, make) => {
    const cached = made.get(abi) ?? new Map<string, T>();
    made.set(abi, cached);
    const item = cached.get(signature) ?? make();
    cached.set(signature, item);
    return item;
  };
}

/** Enough to make a topic or selector of it; an ABI comes from people and may hold anything. */
function isOf<T extends 'event' | 'function'>(
  item: unknown,
  type: T,
): item is T extends 'event' ? EventItem : FunctionItem {
  if (typeof item !== 'object' || item === null || !('type' in item) || item.type !== type) return false;
  return 'name' in item && typeof item.name === 'string' && 'inputs' in item && areParameters(item.inputs);
}

function areParameters(inputs: unknown): inputs is AbiParameter[] {
  return (
    Array.isArray(inputs) &&
    inputs.every(
      (input: unknown) =>
        typeof input === 'object' &&
        input !== null &&
        'type' in input &&
        typeof input.type === 'string' &&
        (!input.type.startsWith('tuple') || ('components' in input && areParameters(input.components))),
    )
  );
}

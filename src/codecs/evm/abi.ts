import type {
  Abi as AbiItems,
  AbiParameter,
  AbiEvent as EventItem,
  AbiFunction as FunctionItem,
} from 'abitype';
import { parseAbiItem } from 'abitype';
import * as AbiEvent from 'ox/AbiEvent';
import * as AbiFunction from 'ox/AbiFunction';
import * as AbiParameters from 'ox/AbiParameters';
import * as Hash from 'ox/Hash';
import * as Hex from 'ox/Hex';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { itemAt } from '../../lib/itemAt.ts';
import type { Log } from '../../model/block.ts';

export type { EventItem, FunctionItem };

type Arguments = Readonly<Record<string, unknown>>;

/** An event from its written form: `Transfer(address indexed from, address indexed to, uint256 value)`. */
export function parseEvent(signature: string): EventItem {
  const item = parse(`event ${signature.replace(/^\s*event\s+/, '')}`, signature);
  if (item.type !== 'event') throw notASignature(signature);
  return item;
}

/** A function from its written form, also with results: `balanceOf(address)(uint256)`. */
export function parseFunction(signature: string): FunctionItem {
  const text = signature
    .trim()
    .replace(/^function\s+/, '')
    .replace(/;$/, '');
  const end = closing(text);
  const results = text.slice(end + 1).trim();
  const item = parse(
    `function ${results.startsWith('(') ? `${text.slice(0, end + 1)} returns ${results}` : text}`,
    signature,
  );
  if (item.type !== 'function') throw notASignature(signature);
  return item;
}

/** Index at which the first bracket closes. */
function closing(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '(') depth++;
    else if (text[index] === ')' && --depth === 0) return index;
  }
  return text.length;
}

function parse(text: string, shown: string): AbiItems[number] {
  const lines: readonly string[] = [text];
  try {
    const item = parsed.get(text) ?? parseAbiItem(lines);
    parsed.set(text, item);
    return item;
  } catch {
    throw notASignature(shown);
  }
}

/** Thousands of rules name the same few signatures. */
const parsed = createBoundedMap<string, AbiItems[number]>(1000);

function notASignature(text: string): RangeError {
  return new RangeError(`"${text}" is not a signature such as transfer(address to, uint256 amount).`);
}

/** Topic of an event in its bare form, `Transfer(address,address,uint256)`. */
export function eventTopic(bare: string): string {
  return Hash.keccak256(Hex.fromString(bare));
}

/** Selector of a function in its bare form, `transfer(address,uint256)`. */
export function functionSelector(bare: string): string {
  return eventTopic(bare).slice(0, 10);
}

export function topicOf(event: EventItem): string {
  let topic = topics.get(event);
  if (topic === undefined) {
    topic = AbiEvent.getSelector(event);
    topics.set(event, topic);
  }
  return topic;
}

export function selectorOf(item: FunctionItem): string {
  let selector = selectors.get(item);
  if (selector === undefined) {
    selector = AbiFunction.getSelector(item);
    selectors.set(item, selector);
  }
  return selector;
}

/** Hashing a signature takes longer than everything else about a call, and the same few are called in every block. */
const selectors = new WeakMap<FunctionItem, string>();
const topics = new WeakMap<EventItem, string>();

/** `name(type,type)`, the form that a topic and a selector are made of. */
export function canonicalSignature(item: EventItem | FunctionItem): string {
  return `${item.name}(${item.inputs.map(canonicalType).join(',')})`;
}

function canonicalType(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type;
  return `(${parameter.components.map(canonicalType).join(',')})${parameter.type.slice('tuple'.length)}`;
}

/**
 * The values of an event by name, or by position without one. The log decides which values are indexed; if the
 * signature disagrees in number, the first ones are.
 */
export function decodeEvent(event: EventItem, log: Pick<Log, 'key' | 'indexed' | 'data'>): Arguments {
  // Nothing names an anonymous event, so that its first topic is a value as well.
  const topics = event.anonymous && log.key !== '' ? [log.key, ...log.indexed] : log.indexed;
  const count = topics.length;
  const hasIndexedFlags = event.inputs.filter(({ indexed }) => indexed).length === count;
  const isIndexed = (input: EventItem['inputs'][number], index: number) =>
    hasIndexedFlags ? input.indexed === true : index < count;
  const plain = event.inputs.filter((input, index) => !isIndexed(input, index));
  const values = decodeValues(plain, log.data);
  let fromTopics = 0;
  let fromData = 0;
  return Object.fromEntries(
    event.inputs.map((input, index) => [
      input.name || String(index),
      isIndexed(input, index) ? indexedValue(input, itemAt(topics, fromTopics++)) : values[fromData++],
    ]),
  );
}

/** A text, list or struct that is indexed leaves only its hash. */
function indexedValue(input: AbiParameter, topic: string): unknown {
  const isHashed = /^(string|bytes|tuple)$|\]$/.test(input.type) || 'components' in input;
  return isHashed ? topic : decodeValues([input], topic)[0];
}

export function decodeCall(item: FunctionItem, input: string): Arguments {
  const values = decodeValues(item.inputs, `0x${input.slice(10)}`);
  return Object.fromEntries(item.inputs.map(({ name }, index) => [name || String(index), values[index]]));
}

/** The same of data that may not fit the parameters, which anyone can send: then it is no call of the function. */
export function tryDecodeCall(item: FunctionItem, input: string): Arguments | undefined {
  try {
    return decodeCall(item, input);
  } catch {
    return undefined;
  }
}

export function encodeCall(item: FunctionItem, values: readonly unknown[] = []): string {
  const head = selectorOf(item);
  return values.length === 0 ? head : head + AbiParameters.encode(item.inputs, values).slice(2);
}

/** The results of a call in order; addresses in lower case. */
export function decodeResult(item: FunctionItem, data: string): readonly unknown[] {
  return decodeValues(item.outputs, data);
}

function decodeValues(parameters: readonly AbiParameter[], data: string): readonly unknown[] {
  if (parameters.length === 0) return [];
  const plain = decodePlain(parameters, data);
  if (plain) return plain;
  Hex.assert(data);
  return AbiParameters.decode(parameters, data, { checksumAddress: false });
}

const wordDigits = 64;
/** Numbers up to 48 bits are no bigints, and signed ones need their sign. */
const plainType = /^(?:address|uint(?:256|128|112|160|64|96|224|192)?)$/;

/**
 * Addresses and large numbers, of which most events consist, without the cursor that all types need; undefined for all else, and for
 * data that is not as it should be.
 */
function decodePlain(parameters: readonly AbiParameter[], data: string): readonly unknown[] | undefined {
  if (data.length < 2 + parameters.length * wordDigits || data.length % 2 !== 0) return undefined;
  if (!parameters.every(({ type }) => plainType.test(type)) || !/^0x[\da-f]*$/i.test(data)) return undefined;
  return parameters.map(({ type }, index) => {
    const start = 2 + index * wordDigits;
    const word = data.slice(start, start + wordDigits);
    return type === 'address' ? `0x${word.slice(24).toLowerCase()}` : BigInt(`0x${word}`);
  });
}

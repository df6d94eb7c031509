import { limits } from './limits.ts';
import { lockDownCode } from './lockDownCode.ts';

/** QuickJS evaluates this once to make a new context safe; its value is the `Realm` that the worker uses. */
export const realmCode = `'use strict';
(() => {
${lockDownCode}
${[createRealmApi, createGetters, createEncoder, describeThrown].map(String).join('\n')}
return createRealmApi(lockDown, ${limits.resultChars});
})()`;

/** Result of a call of `run`; for the last four `take` returns the text. */
export type RunCode = 'false' | 'true' | 'undefined' | 'value' | 'thrown' | 'result' | 'memory';
export const runCodes: readonly RunCode[] = [
  'false',
  'true',
  'undefined',
  'value',
  'thrown',
  'result',
  'memory',
];

type Realm = {
  load(text: string): void;
  run(script: (...values: unknown[]) => unknown): number;
  take(): string;
};

// The functions below run inside QuickJS: they are sent as text, so they may use nothing of this module but each other.

function createRealmApi(lockDown: (getters: object) => void, maxResultChars: number): Realm {
  const getters = createGetters();
  const encode = createEncoder(getters, maxResultChars);
  const memoryFault = Reflect.get(globalThis, 'InternalError');
  lockDown(getters);
  let values: unknown[] = [];
  let text = '';

  function load(json: string): void {
    values = [];
    const loaded: unknown[] = JSON.parse(json);
    for (const value of loaded) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        Object.setPrototypeOf(value, getters);
      }
    }
    revive(loaded);
    values = loaded;
  }

  function revive(node: object): void {
    for (const key of Object.keys(node)) {
      const member: unknown = Reflect.get(node, key);
      if (typeof member === 'object' && member !== null) revive(member);
      else if (typeof member === 'string' && member.charCodeAt(0) === 0) {
        const rest = member.slice(2);
        Reflect.set(node, key, member[1] === 'n' ? BigInt(rest) : member[1] === 'd' ? Number(rest) : rest);
      }
    }
    Object.freeze(node);
  }

  function run(script: (...values: unknown[]) => unknown): number {
    try {
      const value = Reflect.apply(script, undefined, values);
      if (value === false) return 0;
      if (value === true) return 1;
      if (value === undefined) return 2;
      const encoded = encode(value);
      text = encoded.text;
      return encoded.refused ? 5 : 3;
    } catch (thrown) {
      text = describeThrown(thrown);
      return thrown instanceof memoryFault ? 6 : 4;
    }
  }

  function take(): string {
    const taken = text;
    text = '';
    return taken;
  }

  return { load, run, take };
}

/** The prototype of loaded objects: `e.getTxHash()` is created at the first use, which keeps loading an event cheap. */
function createGetters(): object {
  const find = (object: object, key: string | symbol): string | undefined => {
    if (typeof key !== 'string' || key.length < 4 || !key.startsWith('get')) return undefined;
    const exact = key.slice(3);
    const member = `${exact.charAt(0).toLowerCase()}${exact.slice(1)}`;
    return Object.hasOwn(object, member) ? member : Object.hasOwn(object, exact) ? exact : undefined;
  };
  const get = (target: object, key: string | symbol, receiver: object): unknown => {
    const member = find(receiver, key);
    return member === undefined ? Reflect.get(target, key, receiver) : () => Reflect.get(receiver, member);
  };
  return new Proxy(Object.freeze({}), Object.freeze({ get }));
}

/** Reads a result as plain data, without calling a `toJSON`, `toString` or `valueOf` that the script defines. */
function createEncoder(
  getters: object,
  maxChars: number,
): (value: unknown) => { text: string; refused: boolean } {
  const hugeInteger = 2n ** 4096n;
  const maxDepth = 64;
  const tooLarge = `the result is larger than ${maxChars} characters`;
  let pieces: string[] = [];
  let size = 0;

  return (value) => {
    pieces = [];
    size = 0;
    const refusal = encode(value, 0);
    const text = refusal ?? pieces.join('');
    pieces = [];
    return { text, refused: refusal !== undefined };
  };

  // Each of these returns the reason of a refusal, or undefined.

  function write(text: string): string | undefined {
    size += text.length;
    pieces.push(text);
    return size > maxChars ? tooLarge : undefined;
  }

  function encode(value: unknown, depth: number): string | undefined {
    switch (typeof value) {
      case 'boolean':
        return write(value ? 'true' : 'false');
      case 'number':
        if (!Number.isFinite(value)) return write(`"\\u0000d${value}"`);
        return write(Object.is(value, -0) ? '-0' : `${value}`);
      case 'bigint':
        if (value <= hugeInteger && value >= -hugeInteger) return write(`"\\u0000n${value}"`);
        return 'the result has an integer above 4096 bits';
      case 'string':
        if (value.length > maxChars) return tooLarge;
        return write(JSON.stringify(value.charCodeAt(0) === 0 ? `\0s${value}` : value));
      case 'object':
        if (value === null) return write('null');
        if (depth >= maxDepth) return `the result contains itself or is nested deeper than ${maxDepth}`;
        return Array.isArray(value) ? encodeList(value, depth + 1) : encodeRecord(value, depth + 1);
      case 'function':
      case 'symbol':
      case 'undefined':
        return `the result is or contains a ${typeof value}: only plain data can be returned`;
    }
  }

  function encodeList(list: readonly unknown[], depth: number): string | undefined {
    const { length } = list;
    if (length > maxChars) return tooLarge;
    write('[');
    for (let index = 0; index < length; index++) {
      if (index > 0) write(',');
      const refusal = encode(list[index] ?? null, depth);
      if (refusal !== undefined) return refusal;
    }
    return write(']');
  }

  function encodeRecord(record: object, depth: number): string | undefined {
    const proto: unknown = Object.getPrototypeOf(record);
    if (proto !== null && proto !== Object.prototype && proto !== getters) {
      return 'the result is or contains an object that is not plain data, such as a Date, a Map or a promise';
    }
    let separator = '{';
    for (const key of Object.keys(record)) {
      const member: unknown = Reflect.get(record, key);
      if (member === undefined) continue;
      if (key === '__proto__') return 'the result has a member named __proto__';
      if (key.length > maxChars) return tooLarge;
      const refusal = write(`${separator}${JSON.stringify(key)}:`) ?? encode(member, depth);
      if (refusal !== undefined) return refusal;
      separator = ',';
    }
    return write(separator === '{' ? '{}' : '}');
  }
}

/** JSON of message, line and column; a thrown value may be a trap itself, so its members are not trusted. */
function describeThrown(thrown: unknown): string {
  const description = { message: 'a value that cannot be shown', line: 0, column: 0 };
  try {
    if (typeof thrown === 'object' && thrown !== null) {
      const message: unknown = Reflect.get(thrown, 'message');
      const stack: unknown = Reflect.get(thrown, 'stack');
      description.message = typeof message === 'string' ? message : 'an object without a message';
      const position =
        typeof stack === 'string' ? /\bscript:(\d{1,6}):(\d{1,6})/.exec(stack.slice(0, 4000)) : null;
      if (position !== null) {
        description.line = Number(position[1]);
        description.column = Number(position[2]);
      }
    } else if (typeof thrown === 'string' || typeof thrown === 'number') description.message = `${thrown}`;
    else description.message = typeof thrown;
  } catch {
    return JSON.stringify(description);
  }
  description.message = description.message.slice(0, 300);
  return JSON.stringify(description);
}

import { keysOf } from '../../lib/keysOf.ts';
import type { Pkcs11Module } from './loadModule.ts';

/** A CK_ULONG of Linux and macOS, which is also the size of a pointer there. */
export const word = 8;

const attributes = {
  class: 0x0,
  token: 0x1,
  private: 0x2,
  label: 0x3,
  id: 0x102,
  sensitive: 0x103,
  sign: 0x108,
  verify: 0x10a,
  extractable: 0x162,
  ecParams: 0x180,
  ecPoint: 0x181,
} as const;

export type Attributes = { [K in keyof typeof attributes]?: boolean | number | string | Buffer };

export type Template = { memory: Buffer; count: number };

/** An array of CK_ATTRIBUTE and its values in one Buffer, so that all of it is collected together. */
export function toTemplate(module: Pick<Pkcs11Module, 'address'>, values: Attributes): Template {
  const entries = keysOf(attributes).flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [{ type: attributes[name], bytes: toBytes(value) }];
  });
  const head = entries.length * 3 * word;
  const memory = Buffer.alloc(entries.reduce((sum, { bytes }) => sum + bytes.length, head));
  const base = module.address(memory);
  let end = head;
  for (const [n, { type, bytes }] of entries.entries()) {
    writeWords(memory, n * 3 * word, type, base + BigInt(end), bytes.length);
    bytes.copy(memory, end);
    end += bytes.length;
  }
  return { memory, count: entries.length };
}

/** A CK_MECHANISM without a parameter. */
export function toMechanism(type: number): Buffer {
  return words(type, 0, 0);
}

export function words(...values: (number | bigint)[]): Buffer {
  const memory = Buffer.alloc(values.length * word);
  writeWords(memory, 0, ...values);
  return memory;
}

export function readWord(memory: Buffer, offset = 0): bigint {
  return memory.readBigUInt64LE(offset);
}

function writeWords(memory: Buffer, offset: number, ...values: (number | bigint)[]): void {
  for (const [n, value] of values.entries()) memory.writeBigUInt64LE(BigInt(value), offset + n * word);
}

function toBytes(value: boolean | number | string | Buffer): Buffer {
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0]);
  if (typeof value === 'number') return words(value);
  return typeof value === 'string' ? Buffer.from(value) : value;
}

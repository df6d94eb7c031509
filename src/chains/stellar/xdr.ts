import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { decode, decode_stream as decodeStream, encode, initSync } from '@stellar/stellar-xdr-json';
import { messageOf } from '../../lib/messageOf.ts';
import { InvalidResponse } from '../net/replies.ts';

let isReady = false;

/** Compiled on first use: chains of other families do without. */
function prepare(): void {
  if (isReady) return;
  const file = createRequire(import.meta.url).resolve('@stellar/stellar-xdr-json/stellar_xdr_json_bg.wasm');
  initSync(readFileSync(file));
  isReady = true;
}

/** Decodes a node's base64 into the JSON form that SEP-51 gives to the type. */
export function decodeXdr(type: string, base64: string, most = maxLength): unknown {
  prepare();
  refuseLong(type, base64, most);
  try {
    return JSON.parse(decode(type, base64));
  } catch (error) {
    throw new InvalidResponse(`it sent no valid ${type}: ${messageOf(error)}`);
  }
}

/** The code of a contract has 128 KiB; only ledgers, which are read elsewhere, are larger. */
const maxLength = 512 * 1024;

function refuseLong(type: string, base64: string, most: number): void {
  if (base64.length > most) throw new InvalidResponse(`it sent a ${type} that is too long`);
}

/** The same of values that follow each other. */
export function decodeXdrs(type: string, base64: string): unknown[] {
  prepare();
  refuseLong(type, base64, maxLength);
  try {
    return decodeStream(type, base64).map((text) => JSON.parse(text) as unknown);
  } catch (error) {
    throw new InvalidResponse(`it sent no valid ${type}: ${messageOf(error)}`);
  }
}

/** The base64 of what is given in its JSON form; throws a RangeError for what cannot be of the type. */
export function encodeXdr(type: string, value: unknown): string {
  prepare();
  try {
    return encode(type, JSON.stringify(value));
  } catch (error) {
    throw new RangeError(`It is no valid ${type}: ${messageOf(error)}`);
  }
}

export function xdrBytes(type: string, value: unknown): Uint8Array {
  return Buffer.from(encodeXdr(type, value), 'base64');
}

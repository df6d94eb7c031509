import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { xdrBytes } from '../../src/chains/stellar/xdr.ts';

/** WebAssembly that does nothing and carries a spec, as the tools of Soroban put it there. */
export function wasmWithSpec(spec: readonly unknown[]): { code: string; hash: string } {
  const name = utf8ToBytes('contractspecv0');
  const entries = concatBytes(...spec.map((entry) => xdrBytes('ScSpecEntry', entry)));
  const body = concatBytes(Uint8Array.of(name.length), name, entries);
  const other = Uint8Array.of(0, 3, 1, 120, 9);
  const wasm = concatBytes(hexToBytes('0061736d01000000'), other, Uint8Array.of(0), leb(body.length), body);
  return { code: bytesToHex(wasm), hash: bytesToHex(sha256(wasm)) };
}

function leb(value: number): Uint8Array {
  return value < 128
    ? Uint8Array.of(value)
    : concatBytes(Uint8Array.of((value & 127) | 128), leb(value >> 7));
}

import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { bech32, bech32m } from '@scure/base';
import { base58check } from '../../lib/encodings.ts';
import { mainNetwork } from './networks.ts';

/** Locking scripts that have an address. */
const keyHash = /^76a914([0-9a-f]{40})88ac$/;
const scriptHash = /^a914([0-9a-f]{40})87$/;
const witness = /^(00|5[1-9a-f]|60)([0-9a-f]{2})([0-9a-f]{4,80})$/;

/** The address of a locking script in hexadecimal digits; null for one that has none. */
export function toAddress(script: string, network = mainNetwork): string | null {
  const key = keyHash.exec(script)?.[1];
  if (key) return base58check.encode(concatBytes(Uint8Array.of(network.keyHash), hexToBytes(key)));
  const hash = scriptHash.exec(script)?.[1];
  if (hash) return base58check.encode(concatBytes(Uint8Array.of(network.scriptHash), hexToBytes(hash)));
  const [, opcode = '', length = '', program = ''] = witness.exec(script) ?? [];
  if (program === '' || program.length !== 2 * Number.parseInt(length, 16)) return null;
  const version = opcode === '00' ? 0 : Number.parseInt(opcode, 16) - 0x50;
  // Version 0 has two forms only; anything else can be spent by no one.
  if (version === 0 && program.length !== 40 && program.length !== 64) return null;
  const code = version === 0 ? bech32 : bech32m;
  return code.encode(network.prefix, [version, ...code.toWords(hexToBytes(program))]);
}

/** True for SegWit addresses of any network. */
export const isSegwit = (address: string) => /^(?:bc|tb|bcrt)1/.test(address);

/** The locking script of a canonical address of any network, in hexadecimal digits. */
export function toScript(address: string): string {
  if (!isSegwit(address)) {
    const [version, ...hash] = base58check.decode(address);
    const digits = bytesToHex(Uint8Array.from(hash));
    return version === 0x00 || version === 0x6f ? `76a914${digits}88ac` : `a914${digits}87`;
  }
  const { words } = bech32.decodeUnsafe(address) ?? bech32m.decode(address);
  const [version = 0, ...rest] = words;
  const program = bytesToHex(bech32.fromWords(rest));
  const opcode = version === 0 ? 0 : 0x50 + version;
  return [opcode, program.length / 2].map((byte) => byte.toString(16).padStart(2, '0')).join('') + program;
}

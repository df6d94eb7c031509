import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/** Ledger 58,752,000 of the main network with 249 transactions (protocol 22), as a node keeps it (`LedgerCloseMeta`). */
export function readStellarLedger(): Buffer {
  return brotliDecompressSync(readFileSync(join(import.meta.dirname, 'stellarLedger.xdr.br')));
}

import { type ChainUid, getChain } from '../../../chains/chains.ts';
import { families } from '../../../chains/families.ts';
import { shownAddress } from '../../../chains/shownAddress.ts';
import { yieldToEventLoop } from '../../../lib/eventLoop.ts';

/** A chain and the canonical spelling of a listed address there; null is every EVM chain. */
export type FoundAddress = { chainUid: ChainUid | null; address: string };

/** The chain of a currency whose addresses are of one form; tokens such as USDT exist on several. */
const chainOfCurrency = new Map<string, ChainUid>([
  ['XBT', 'bitcoin'],
  ['BTC', 'bitcoin'],
  ['TRX', 'tron'],
  ['SOL', 'solana'],
  ['XLM', 'stellar'],
  ['ICP', 'icp'],
  ['VET', 'vechain'],
]);
/** Longer than an address of any chain. */
const maxAddress = 200;
const tokens = new Set(['USDT', 'USDC']);
const evmForm = /^0x[0-9a-f]{40}$/i;

/**
 * Reads a listed address by its currency, or else by its form; `unsupported` for currencies of unwatched chains. An
 * account of one EVM chain is the same person's on all of them.
 */
export function readListed(
  address: string,
  currency: string | undefined,
): FoundAddress | { fault: string } | 'unsupported' {
  if (address.length > maxAddress)
    return {
      fault: `'${address.slice(0, 100)}…' is no address: it has more than ${maxAddress} characters.`,
    };
  if (evmForm.test(address) || currency === 'ETH') return read(address, null);
  const chainUid = currency === undefined ? undefined : chainOfCurrency.get(currency);
  if (chainUid) return read(address, chainUid);
  if (currency !== undefined && !tokens.has(currency)) return 'unsupported';
  for (const uid of ['bitcoin', 'tron', 'solana'] as const) {
    const canonical = read(address, uid);
    if ('address' in canonical) return canonical;
  }
  return { fault: `'${address.slice(0, 100)}' is not an address of a chain that Vigil knows.` };
}

/** Addresses within a text that people wrote; what looks like one and has a wrong checksum is left out. */
export async function* findAddresses(text: string): AsyncGenerator<string> {
  const candidates = text.match(
    /\b(?:0x[0-9a-fA-F]{40}|bc1[a-z0-9]{25,87}|[13T][1-9A-HJ-NP-Za-km-z]{25,34})\b/g,
  );
  for (const candidate of new Set(candidates ?? [])) {
    await yieldToEventLoop();
    const address = readListed(candidate, undefined);
    if (address !== 'unsupported' && 'address' in address && address.chainUid !== 'solana') yield candidate;
  }
}

function read(address: string, chainUid: ChainUid | null): FoundAddress | { fault: string } {
  const chain = getChain(chainUid ?? 'ethereum');
  const result = families[chain.family].readAddress(address, chain);
  return 'fault' in result
    ? { fault: `'${address.slice(0, 100)}': ${result.fault}` }
    : { chainUid, address: shownAddress(chain, result.canonical) };
}

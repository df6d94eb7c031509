import type { BlockRef } from '../../model/block.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { ChainClient } from '../chainClient.ts';
import { functionSelector } from './abi/abi.ts';
import { proxySlots } from './evidence/readImplementation.ts';
import { toChecksumAddress } from './evmRules.ts';

const firstSlot = `0x${'0'.repeat(64)}`;
const implementationCall = functionSelector('implementation()');
const safeCall = functionSelector('masterCopy()');
/** A minimal proxy of EIP-1167: this, the address, the rest. */
const cloneStart = '0x363d3d373d3d3d363d73';

/** The contract behind a proxy of any usual kind, or null when the address is none. */
export async function findImplementation(
  readState: ChainClient['readState'],
  at: BlockRef,
  address: string,
): Promise<string | null> {
  const found = await findCanonical(readState, at, address);
  return found && toChecksumAddress(found.slice(2));
}

async function findCanonical(
  readState: ChainClient['readState'],
  at: BlockRef,
  address: string,
): Promise<string | null> {
  const storage = (slot: string): StateRead => ({ type: 'storage', address, slot });
  const [code, direct, beacon, proxiable, first, delegated, master] = await readState(at, [
    { type: 'code', address },
    storage(proxySlots.implementation),
    storage(proxySlots.beacon),
    storage(proxySlots.proxiable),
    storage(firstSlot),
    { type: 'call', to: address, data: implementationCall },
    { type: 'call', to: address, data: safeCall },
  ]);
  const program = textOf(code);
  if (program.startsWith(cloneStart)) return `0x${program.slice(cloneStart.length, cloneStart.length + 40)}`;
  const named = wordAddress(textOf(direct)) ?? wordAddress(textOf(proxiable));
  if (named) return named;
  const beaconAddress = wordAddress(textOf(beacon));
  if (beaconAddress) {
    const [answer] = await readState(at, [{ type: 'call', to: beaconAddress, data: implementationCall }]);
    return wordAddress(callData(answer));
  }
  // The Safe's own proxy keeps it in its first slot and answers for it; other contracts keep anything there.
  const safe = wordAddress(callData(master));
  if (safe && safe === wordAddress(textOf(first))) return safe;
  const implementation = wordAddress(callData(delegated));
  return implementation && program.length > 2 ? implementation : null;
}

function textOf(answer: StateResult | undefined): string {
  if (!answer || 'missing' in answer)
    throw new Error(`The node does not answer: ${answer?.missing ?? 'no answer'}`);
  return typeof answer.value === 'string' ? answer.value : '0x';
}

function callData(answer: StateResult | undefined): string {
  if (!answer || 'missing' in answer) return '0x';
  const { value } = answer;
  return typeof value === 'object' && 'data' in value ? value.data : '0x';
}

/** The address in a word that holds nothing else. */
function wordAddress(word: string): string | null {
  const padded = word.slice(2).padStart(64, '0');
  const isAddress = padded.length === 64 && /^0{24}/.test(padded) && !/^0{60}/.test(padded);
  return isAddress ? `0x${padded.slice(24)}` : null;
}

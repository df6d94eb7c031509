import { searchCode } from '../../codecs/evm/locateCode.ts';
import type { BlockRef } from '../../model/block.ts';
import type { StateResult } from '../../model/stateRead.ts';
import type { ChainClient } from '../chainClient.ts';
import { toChecksumAddress } from './evmRules.ts';

/** The contract behind a proxy of any usual kind, or null when the address is none. */
export async function findImplementation(
  readState: ChainClient['readState'],
  at: BlockRef,
  address: string,
): Promise<string | null> {
  const search = searchCode(address);
  let step = search.next();
  while (!step.done) {
    const answers = await readState(at, step.value);
    step = search.next(answers.map(toText));
  }
  const { implementation } = step.value;
  return implementation && toChecksumAddress(implementation.slice(2));
}

function toText(answer: StateResult): string {
  if ('missing' in answer) throw new Error(`The node does not answer: ${answer.missing}`);
  const { value } = answer;
  if (typeof value === 'string') return value;
  return typeof value === 'object' && 'data' in value ? value.data : '0x';
}

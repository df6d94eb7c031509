import { type ChainUid, chains } from '../chains/chains.ts';
import { families } from '../chains/families.ts';
import { unprocessable } from '../model/errors.ts';
import type { Row } from '../store/records.ts';
import type { Call } from './call.ts';
import type { Change } from './recordKind.ts';

type ContractChange = Omit<Change, 'input'> & {
  input: { chainUid?: ChainUid | null; address?: string | null };
};

/** The address must be one of its chain; it is shown as given and compared in its one canonical spelling. */
export function prepareContract(_call: Call, { input, current }: ContractChange): Row {
  if (current) return input;
  const chain = chains[input.chainUid!];
  const read = families[chain.family].readAddress(input.address!, chain);
  if ('fault' in read) throw unprocessable('/address', 'not-an-address', read.fault);
  return { ...input, canonicalAddress: read.canonical };
}

import type { Chain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { membersOf } from '../../lib/isRecord.ts';
import { unprocessable } from '../../model/errors.ts';

/** Refuses a configuration with an address that the chain of the contract cannot have. */
export function checkAddresses(schema: unknown, value: unknown, chain: Chain, pointer: string): void {
  const { format, items, properties } = membersOf(schema);
  if (typeof value === 'string') {
    for (const address of addressesIn(format, value)) {
      const read = families[chain.family].readAddress(address, chain);
      if ('fault' in read) throw unprocessable(pointer, 'not-an-address', read.fault);
    }
  } else if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) checkAddresses(items, item, chain, `${pointer}/${place}`);
  } else {
    const given = membersOf(value);
    for (const [name, member] of Object.entries(membersOf(properties)))
      checkAddresses(member, given[name], chain, `${pointer}/${name}`);
  }
}

function addressesIn(format: unknown, text: string): string[] {
  if (format === 'address') return [text];
  if (format === 'asset') return text === 'native' ? [] : [text];
  if (format !== 'addressCsv') return [];
  return text.split(/\r?\n/).flatMap((line) => (line === '' ? [] : [line.replace(/,.*/s, '')]));
}

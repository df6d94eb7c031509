import type { Chain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { unprocessable } from '../../model/errors.ts';
import { mapAddresses } from '../../model/mapAddresses.ts';

/** Refuses a configuration with an address that the chain of the contract cannot have. */
export function checkAddresses(schema: unknown, value: unknown, chain: Chain, root: string): void {
  mapAddresses(
    schema,
    value,
    (address, pointer, isAsset) => {
      const { readAddress, isAsset: isOwnAsset } = families[chain.family];
      if (isAsset && isOwnAsset?.(address)) return address;
      const read = readAddress(address, chain);
      if ('fault' in read) throw unprocessable(pointer, 'not-an-address', read.fault);
      return address;
    },
    root,
  );
}

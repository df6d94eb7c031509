import { evmAddress } from '../evm/address.ts';
import type { AddressRules } from '../familyRules.ts';

/** VeChainThor took over the addresses of the EVM, EIP-55 capitals included. */
export const vechainAddress: AddressRules = evmAddress;

import type { IntendedCall } from '../model/action.ts';

/** Enough to do nothing on every chain. */
export const voidGas = 100_000;

/** Calls nothing: it only uses up a number of the wallet. */
export function voidCall(address: string): IntendedCall {
  return { to: address, data: '0x', parameters: [], gasLimit: String(voidGas) };
}

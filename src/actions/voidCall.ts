import type { IntendedCall } from '../model/action.ts';

/** Enough to do nothing on every chain. */
export const voidGas = 100_000;

/** What calls nothing pays what others pay, whatever the action wants to. */
export const marketPrice = { gasPrice: 'market', gasTip: null } as const;

/** Calls nothing: it only uses up a number of the wallet. */
export function voidCall(address: string): IntendedCall {
  return { to: address, data: '0x', parameters: [], gasLimit: String(voidGas) };
}

import * as Hex from 'ox/Hex';
import type { Chain } from '../chains/chains.ts';
import type { IntendedCall } from '../model/action.ts';
import type { Envelope } from '../wallets/signTransaction.ts';
import type { GasPrice } from './chooseFees.ts';

/** An unsigned transaction that makes the call. */
export function toEnvelope(
  { chainId, uid }: Chain,
  nonce: number,
  { to, data, gasLimit }: Pick<IntendedCall, 'to' | 'data' | 'gasLimit'>,
  { maxFee, tip }: GasPrice,
): Envelope {
  if (chainId === undefined) throw new Error(`Vigil signs nothing for ${uid}: it has no chain id.`);
  Hex.assert(to);
  Hex.assert(data);
  const common = {
    chainId,
    nonce: BigInt(nonce),
    to,
    data,
    gas: BigInt(gasLimit),
    value: 0n,
  };
  return tip === null
    ? { ...common, type: 'legacy', gasPrice: maxFee }
    : { ...common, type: 'eip1559', maxFeePerGas: maxFee, maxPriorityFeePerGas: tip };
}

/** Enough gas for an empty call on every chain. */
export const emptyCallGas = 100_000;

/** An empty call pays the market price, whatever its action asks for. */
export const marketPrice = { gasPrice: 'market', gasTip: null } as const;

/** Calls the wallet's own address without data: it only uses up a nonce. */
export function emptyCall(address: string): IntendedCall {
  return { to: address, data: '0x', parameters: [], gasLimit: String(emptyCallGas) };
}

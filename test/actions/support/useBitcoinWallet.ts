import { bech32 } from '@scure/base';
import { chains } from '../../../src/chains/chains.ts';
import { families } from '../../../src/chains/families.ts';
import { base58check } from '../../../src/lib/encodings.ts';
import type { Bitcoind } from '../../../testing/startBitcoind.ts';
import type { Json } from '../../../testing/startTestApi.ts';
import type { TestWatch } from '../../../testing/startTestWatch.ts';

/** A key of a Bitcoin wallet: as people write it, as Vigil keeps it, and its address. */
export function createBitcoinKey(seed: number) {
  const key = Uint8Array.of(...new Uint8Array(32).fill(seed), 1);
  const address = families.bitcoin.deriveAddress(key, chains.bitcoin);
  const toWif = (network: number) => base58check.encode(Uint8Array.of(network, ...key));
  return { wif: toWif(0x80), testWif: toWif(0xef), key, address };
}

/** The same address as a private network writes it. */
export function toRegtest(address: string): string {
  const { words } = bech32.decode(address as `bc1${string}`);
  return bech32.encode('bcrt', words);
}

/** A wallet of Vigil with a contract record of it, a source of alerts and coins of these amounts, in whole bitcoins. */
export async function addBitcoinWallet(
  vigil: TestWatch,
  node: Bitcoind,
  { wif, address }: Pick<ReturnType<typeof createBitcoinKey>, 'wif' | 'address'>,
  amounts: readonly number[],
  members: Json = {},
) {
  const wallet = await vigil.ok('POST', 'wallet', {
    allowedCalls: null,
    maxHourlySpend: null,
    tenantId: vigil.tenantId,
    chainUid: 'bitcoin',
    name: `Hot ${address.slice(-4)}`,
    privateKey: wif,
    ...members,
  });
  const contractId = await vigil.addContract(address, { chainUid: 'bitcoin', addressType: 'WALLET' });
  const detectorId = await vigil.addDetector(contractId, 'utxo_spend', {}, { source: 'EXTERNAL' });
  await node.pay(amounts.map((amount) => [toRegtest(address), amount]));
  return { wallet, contractId, detectorId, address };
}

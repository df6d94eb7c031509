import { createMutex } from '../../lib/createMutex.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { listOf, recordOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';
import { toSatoshis } from './decodeBlock.ts';
import { toScript } from './script.ts';

type Output = {
  address: string;
  txid: string;
  vout: number;
  amount: bigint;
  height: number;
  isCoinbase: boolean;
};

export type Scan = (
  addresses: readonly string[],
) => Promise<{ hash: string; height: number; outputs: Output[] }>;

/** Nodes keep no index of addresses: they read all unspent outputs, which takes minutes on the main network. */
const scanTimeoutMs = 600_000;

/** Finds the unspent outputs of addresses after the newest block. A node makes one scan at a time. */
export function createScan({ request }: Endpoints): Scan {
  const { runExclusive } = createMutex();
  return (addresses) =>
    runExclusive(async () => {
      const scripts = new Map(addresses.map((address) => [toScript(address), address]));
      const call = {
        method: 'scantxoutset',
        params: ['start', Array.from(scripts.keys(), (script) => `raw(${script})`)],
      };
      const unspent = await request([call], ([reply]) => recordOf(resultOf(reply)), scanTimeoutMs);
      const outputs = listOf(unspent.unspents, 'unspents').flatMap((item): Output[] => {
        const { scriptPubKey, txid, vout, amount, height, coinbase } = recordOf(item);
        const address = scripts.get(String(scriptPubKey));
        if (address === undefined) return [];
        const output = { txid: String(txid), vout: Number(vout), amount: toSatoshis(amount) };
        return [{ address, ...output, height: Number(height), isCoinbase: coinbase === true }];
      });
      return { hash: String(unspent.bestblock), height: Number(unspent.height), outputs };
    });
}

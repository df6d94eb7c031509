import { IDL } from '@icp-sdk/core/candid';
import { chains, withNetwork } from '../../src/chains/chains.ts';
import { createIcpClient } from '../../src/chains/icp/createIcpClient.ts';
import { createIcpRpc, queryCall } from '../../src/chains/icp/createIcpRpc.ts';
import { icpLedgerId } from '../../src/chains/icp/createLedger.ts';
import { ledgerTypes } from '../../src/chains/icp/ledgerTypes.ts';
import { addLedger, canisterId } from '../../testing/icp/ledgerCanister.ts';
import { startReplica } from '../../testing/icp/startReplica.ts';
import { createIndex } from './createIndex.ts';
import { familyRow, processorMs } from './familyRow.ts';

const entries = 500;
const rounds = 10;

/** What a second of a ledger takes a client that has just started: a page of entries, with the certificate of their number. */
export async function measureIcp(): Promise<string> {
  const replica = await startReplica();
  const ledger = addLedger(replica, icpLedgerId, { kind: 'icp', symbol: 'ICP' });
  const number = Math.floor(Date.now() / 1000) - 5;
  for (let n = 0; n < entries; n++) ledger.mint(canisterId(1_000_000 + n), 1000n);
  for (const entry of ledger.entries) entry.at = BigInt(number) * 1_000_000_000n;
  const watched = { has: () => false, addresses: () => [], version: () => 1 };
  const index = createIndex({
    uid: 'icp',
    address: canisterId,
    schemaName: 'large_transfer',
    config: { threshold: '1' },
  });
  const chain = withNetwork(chains.icp, replica.rootKey);
  const node = createIcpRpc(replica.url, replica.rootKey);
  const { args } = ledgerTypes(IDL).query_blocks;
  const page = IDL.encode(args, [{ start: 0n, length: BigInt(entries) }]);
  let calls = 0;
  try {
    const alone = await processorMs(rounds, () =>
      node.batch([queryCall(icpLedgerId, 'query_blocks', page)], 10_000),
    );
    const whole = await processorMs(rounds, async () => {
      calls = 0;
      const onCall = () => void calls++;
      const client = createIcpClient({ chain, urls: [replica.url], now: Date.now, onCall });
      const block = await client.detail!((await client.block(number))!, watched);
      if (block.transactions.length !== entries) throw new Error('Entries are missing.');
      index.match(block, undefined);
      await client.close();
    });
    return familyRow(
      `Internet Computer: ${entries} entries of a ledger, on a new connection`,
      calls,
      alone,
      whole,
    );
  } finally {
    await node.close();
    await replica.stop();
  }
}

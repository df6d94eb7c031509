import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPocketIc } from '../../../testing/icp/startPocketIc.ts';
import { until } from '../../../testing/until.ts';
import { watched } from '../../../testing/watched.ts';
import type { ConnectedClient } from '../chainClient.ts';
import { chains, withNetwork } from '../chains.ts';
import { candidView } from './candid/candidView.ts';
import { createIcpClient } from './createIcpClient.ts';
import { icpLedgerId } from './createLedger.ts';
import { endpointFault } from './icpProtocol.ts';
import { inspectCanister } from './inspectCanister.ts';

const program = process.env.POCKET_IC_BIN;

/** The same on a real network, whose ledger is the real canister. */
describe('PocketIC', () => {
  let network: Awaited<ReturnType<typeof startPocketIc>>;
  let client: ConnectedClient;

  beforeEach(({ skip }) =>
    skip(!program, 'There is no PocketIC: POCKET_IC_BIN names the binary of its server.'),
  );
  beforeAll(async () => {
    if (!program) return;
    network = await startPocketIc(program);
    const chain = withNetwork(chains.icp, network.rootKey);
    client = createIcpClient({ chain, urls: [network.url], now: Date.now, onCall: () => {} });
  });
  afterAll(async () => {
    await client?.close();
    await network?.stop();
  });

  it('is taken by its own root key, and refused by that of another network', async () => {
    expect(await endpointFault(network.url, withNetwork(chains.icp, network.rootKey))).toBeUndefined();
    expect(await endpointFault(network.url, chains.icp)).toContain('root key');
  });

  it('gives seconds that follow each other, complete once the ledger is beyond them', async () => {
    const from = Math.floor(Date.now() / 1000);
    for (const number of [from, from + 1]) {
      const block = await until(async () => (await client.block(number)) ?? undefined);
      expect(block).toMatchObject({ hash: `icp-${number}`, parentHash: `icp-${number - 1}` });
      expect((await client.detail!(block, watched(icpLedgerId))).number).toBe(number);
    }
  });

  it('tells the ledger, who controls it, its code and its interface, each proven', async () => {
    const at = (await client.header('latest'))!;
    expect(await inspectCanister(client, at, icpLedgerId)).toMatchObject({
      hasCode: true,
      kinds: expect.arrayContaining(['TOKEN']),
      facts: { symbol: 'ICP', decimals: 8, totalSupply: expect.stringMatching(/^\d+$/) },
    });
    const abi = (await client.findInterface!(icpLedgerId))!;
    const { encode, decode } = candidView('icrc1_fee', abi);
    const [answer] = await client.readState(at, [{ type: 'call', to: icpLedgerId, data: encode([]) }]);
    if (!answer || !('value' in answer)) throw new Error('There is no answer.');
    expect(decode((answer.value as { data: string }).data)).toEqual([10_000n]);
  });
});

import { createHash } from 'node:crypto';
import { Ed25519KeyIdentity } from '@icp-sdk/core/identity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IcpNetwork, startIcp } from '../../../testing/icp/startIcp.ts';
import { vaultCandid, vaultWasm } from '../../../testing/icp/vaultWasm.ts';
import { until } from '../../../testing/until.ts';
import { watched } from '../../../testing/watched.ts';
import { candidView } from '../../codecs/icp/candidView.ts';
import type { ConnectedClient } from '../chainClient.ts';
import { chains, withNetwork } from '../chains.ts';
import { createIcpClient } from './createIcpClient.ts';
import { icpLedgerId } from './createLedger.ts';
import { endpointFault } from './icpProtocol.ts';
import { inspectCanister } from './inspectCanister.ts';

/** On the stand-in, or on the real network whose server POCKET_IC_BIN names. */
describe(`the Internet Computer (${process.env.POCKET_IC_BIN ?? 'stand-in'})`, () => {
  let network: IcpNetwork;
  let client: ConnectedClient;

  beforeAll(async () => {
    network = await startIcp();
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

  it('tells controllers, code and interface of a canister, and what it gives, as they become others', async () => {
    const owner = Ed25519KeyIdentity.generate();
    const [own, other] = [owner.getPrincipal().toText(), 'w7x7r-cok77-xa'];
    const vault = await network.create(owner, vaultWasm(5));
    const quota = candidView('quota', [{ candid: vaultCandid }]);
    const look = async () =>
      (
        await client.readState((await client.header('latest'))!, [
          { type: 'storage', address: vault, key: 'controllers' },
          { type: 'storage', address: vault, key: 'module_hash' },
          { type: 'storage', address: vault, key: 'interface' },
          { type: 'call', to: vault, data: quota.encode([own]) },
        ])
      ).map((answer) => 'value' in answer && answer.value);
    const hashOf = (wasm: Uint8Array) => `0x${createHash('sha256').update(wasm).digest('hex')}`;
    const candid = JSON.stringify([{ candid: vaultCandid }]);
    await until(async () => (await look())[1] === hashOf(vaultWasm(5)));
    expect(await look()).toEqual([own, hashOf(vaultWasm(5)), candid, { data: '["5"]' }]);
    await network.call(owner, vault, 'pause');
    await network.setControllers(owner, vault, [own, other]);
    expect(await look()).toEqual([
      [own, other].sort().join(', '),
      hashOf(vaultWasm(5)),
      candid,
      { data: '["4"]' },
    ]);
    await network.install(owner, vault, vaultWasm(3, 'other'));
    expect((await look()).slice(1)).toEqual([hashOf(vaultWasm(3, 'other')), candid, { data: '["3"]' }]);
  });

  it('has what is paid in the second in which it was paid', async () => {
    const owner = Ed25519KeyIdentity.generate();
    const own = owner.getPrincipal().toText();
    const [paid, passed] = [
      await network.pay(own, 300_000_000n),
      await network.pay('w7x7r-cok77-xa', 100_000_000n, owner),
    ];
    for (const [hash, transfer] of [
      [paid, { asset: 'native', to: own, amount: 300_000_000n }],
      [passed, { asset: 'native', from: own, amount: 100_000_000n }],
    ] as const) {
      const number = await until(() => client.blockOfTransaction(hash));
      const block = await until(() => client.block(number));
      const { transactions } = await client.detail!(block, watched(own));
      expect(transactions.find((each) => each.hash === hash)?.transfers).toMatchObject([transfer]);
    }
    const at = (await client.header('latest'))!;
    const [held] = await client.readState(at, [{ type: 'balance', address: own }]);
    expect(held).toEqual({ value: 199_990_000n });
  });
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { toAddress } from '../../src/chains/bitcoin/script.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { runStatement } from '../../testing/databaseOf.ts';
import { type Bitcoind, findBitcoind, startBitcoind } from '../../testing/startBitcoind.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { createBitcoinKey, toRegtest } from '../actions/support/useBitcoinWallet.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';
import { type Liar, startLiar } from './support/startLiar.ts';

const command = findBitcoind();
const [hot, safe] = [createBitcoinKey(5), createBitcoinKey(99)];

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let sink: HttpSink;
let node: Bitcoind | undefined;
let liar: Liar | undefined;
beforeEach(async () => {
  if (!command) return;
  [workspace, sink, node] = await Promise.all([createWorkspace(), startHttpSink(), startBitcoind(command)]);
  await node.mine(110);
});
afterEach(async () => {
  await workspace?.remove();
  await sink?.close();
  await liar?.stop();
  await node?.stop();
});

it('Bitcoin: a spend of the cold address is reported and the hot wallet swept once, through kill -9, a dead and a lying endpoint, and a fork that takes the spend back', async ({
  skip,
}) => {
  if (!node) return skip('There is no bitcoind; `.ci/bitcoind` fetches one.');
  const chain = node;
  const cold = await chain.address();
  const { scriptPubKey } = await chain.rpc<Json>('getaddressinfo', cold);
  const address = String(toAddress(scriptPubKey));
  await chain.pay([
    [cold, 2],
    [toRegtest(hot.address), 0.5],
  ]);
  // It takes what is sent, and forgets it.
  liar = await startLiar(chain.url, (method) =>
    method === 'sendrawtransaction' ? '00'.repeat(32) : undefined,
  );
  const env = {
    VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
    // The first endpoint is dead.
    VIGIL_RPC_BITCOIN: `http://127.0.0.1:1/,${liar.url},${chain.url}`,
    VIGIL_CHAIN_BITCOIN_CONFIRMATIONS: '1',
  };
  const dataDir = workspace.folder('data');
  let vigil: Vigil = await workspace.serve(dataDir, env);
  const { detectorId, actionId } = await arm(vigil, address);

  const [{ txid, vout }] = await chain.rpc<[Json]>('listunspent', 0, 999, [cold]);
  const spend = async (amount: number) => {
    const inputs = [{ txid, vout, sequence: 0xfffffffd }];
    const raw = await chain.rpc('createrawtransaction', inputs, [{ [await chain.address()]: amount }]);
    const { hex } = await chain.rpc<Json>('signrawtransactionwithwallet', raw);
    return chain.rpc('sendrawtransaction', hex, 0);
  };
  await until(async () => (await chainOf(vigil)).watchState === 'ok');
  const theft = await spend(1.9);
  await chain.mine();
  const alertsOf = async (hash: string) => {
    const query = `txHash:${hash} AND detectorId:${detectorId}`;
    return (await vigil.ok('POST', 'alert/search', { query })).data as Json[];
  };
  await until(async () => (await alertsOf(theft)).length === 1);

  const intents = async (): Promise<Json[]> => (await vigil.ok('GET', `action/${actionId}/intent`)).data;
  await crash();
  const mine = async () => void (await chain.mine());
  await until(async () => (await intents())[0]?.state === 'SUBMITTED' || (await mine()));
  await crash();
  await until(async () => (await intents())[0]?.state === 'CONFIRMED' || (await mine()));
  expect((await intents()).map(({ state }) => state)).toEqual(['CONFIRMED']);
  await until(() => sink.received.some(({ text }) => text.includes(theft)));
  expect(await balanceOf(hot.address)).toBe(0);
  const swept = await balanceOf(safe.address);
  expect(swept).toBeGreaterThan(49_990_000);

  // A branch in which the cold coins went elsewhere; the sweep is in no need of them and stays what it is.
  const { blockhash } = await chain.rpc<Json>('getrawtransaction', theft, true);
  const height = await chain.height();
  const sweep = await chain.rpc('getrawtransaction', (await intents())[0]!.txHash);
  await chain.rpc('invalidateblock', blockhash);
  // A node takes back into its pool what was in ten blocks at most; the network has it as well.
  await chain.rpc('sendrawtransaction', sweep);
  const other = await spend(1.8);
  while ((await chain.height()) <= height) await chain.mine();
  await until(async () => (await alertsOf(other)).length === 1);
  expect(await alertsOf(theft)).toEqual([]);
  await until(() => sink.received.some(({ text }) => /retracted/.test(text) && text.includes(theft)));
  expect(await balanceOf(safe.address)).toBe(swept);
  expect((await intents()).filter(({ state }) => state === 'CONFIRMED')).toHaveLength(1);
  await vigil.stop();

  /** Waiting for the ends of the leases would only take time. */
  async function crash(): Promise<void> {
    await vigil.stop('SIGKILL');
    vigil = await workspace.serve(dataDir, env);
    await runStatement(dataDir, 'update action_intent set lease_until = null, next_attempt_at = 0');
    await runStatement(dataDir, 'update delivery_queue set lease_until = now() where lease_until > now()');
  }

  async function balanceOf(owner: string): Promise<number> {
    const found = await chain.rpc<Json>('scantxoutset', 'start', [`addr(${toRegtest(owner)})`]);
    return Math.round(found.total_amount * 1e8);
  }
});

async function chainOf(vigil: Vigil): Promise<Json> {
  return (await vigil.ok('GET', 'chain')).data.find(({ chainUid }: Json) => chainUid === 'bitcoin');
}

/** A cold address whose spends are reported and sweep the hot wallet. */
async function arm(vigil: Vigil, address: string) {
  const tenant = await vigil.ok('POST', 'tenant', { name: 'Acme' });
  const project = await vigil.ok('POST', 'project', { tenantId: tenant.id, name: 'Vault' });
  const contract = await vigil.ok('POST', 'contract', {
    projectId: project.id,
    name: 'Cold',
    chainUid: 'bitcoin',
    address,
    addressType: 'WALLET',
  });
  const destination = await vigil.ok('POST', 'destination', {
    tenantId: tenant.id,
    type: 'HTTP',
    uri: `${sink.url}/hook`,
  });
  const { data } = await vigil.ok('POST', 'detector/schema/search', { size: 1000 });
  const schema = data.find(({ name }: Json) => name === 'utxo_spend');
  const detector = await vigil.ok('POST', 'detector', {
    contractId: contract.id,
    schemaId: schema.id,
    name: 'Cold spend',
    destinations: [{ tenantDestinationId: destination.id }],
  });
  const wallet = await vigil.ok('POST', 'wallet', {
    allowedCalls: null,
    maxHourlySpend: null,
    tenantId: tenant.id,
    chainUid: 'bitcoin',
    name: 'Hot',
    privateKey: hot.wif,
  });
  const action = await vigil.ok('POST', 'action', {
    contractId: contract.id,
    walletId: wallet.id,
    name: 'Rescue',
    funcSignature: 'sweep(address to)',
    params: [{ name: 'to', value: safe.address }],
    detectors: [{ detectorId: detector.id }],
  });
  return { detectorId: detector.id, actionId: action.id };
}

import { hexToBytes } from '@noble/hashes/utils.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { readShown, showAddress } from '../../src/chains/tron/tronAddress.ts';
import { tronRules } from '../../src/chains/tron/tronRules.ts';
import { runStatement } from '../../testing/bundledPostgres.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTron, type Tron } from '../../testing/startTron.ts';
import { until } from '../../testing/until.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';

const key = '5'.repeat(64);
const guardian = tronRules.deriveAddress(hexToBytes(key), chains.tron);
let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let sink: HttpSink;
let anvil: Anvil;
let tron: Tron;
beforeAll(async () => {
  [workspace, sink, anvil] = await Promise.all([createWorkspace(), startHttpSink(), startAnvil()]);
  // Nothing becomes final, so that all of it can be taken back.
  tron = await startTron(anvil, 10_000);
});
afterAll(async () => {
  await workspace?.remove();
  await sink?.close();
  await tron?.stop();
  await anvil?.stop();
});

it('Tron: a block raises an alert, which notifies and fires a signed call once, through kill -9; a reorganisation takes it back', async () => {
  const dataDir = workspace.folder('data');
  const env = {
    VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
    VIGIL_RPC_TRON: tron.url,
    VIGIL_CHAIN_TRON_NETWORK: tron.genesis,
    VIGIL_CHAIN_TRON_CONFIRMATIONS: '1',
    VIGIL_CHAIN_TRON_START_BLOCK: '0',
  };
  const own = readShown(guardian)!;
  const [thief, friend] = anvil.accounts;
  // What JSON can hold as a number, and gas for a call.
  await anvil.setBalance(own, 8n * 10n ** 15n);
  const token = await anvil.deploy(artifacts.Token, 'Gold', 'GLD', 6, 10n ** 12n);
  await token.send(thief, 'transferOwnership', own);
  await anvil.impersonate(own);
  await anvil.send({ from: own, to: token.address, data: token.encode('acceptOwnership'), gas: 200_000n });
  await anvil.setBalance(own, 8n * 10n ** 15n);

  let vigil: Vigil = await workspace.serve(dataDir, env);
  const tenant = await vigil.ok('POST', 'tenant', { name: 'Acme' });
  const project = await vigil.ok('POST', 'project', { tenantId: tenant.id, name: 'Gold' });
  const address = showAddress(token.address.toLowerCase());
  const contract = { projectId: project.id, chainUid: 'tron', address, name: 'Gold', abi: token.abi };
  const { id: contractId } = await vigil.ok('POST', 'contract', contract);
  // The tokens that were made at first are no alert of a detector that is added later.
  await until(async () => {
    const { data } = await vigil.ok('GET', 'chain');
    return data.find(({ chainUid }: Json) => chainUid === 'tron').processed >= (await tron.height());
  }, 30_000);
  const wallet = await vigil.ok('POST', 'wallet', {
    tenantId: tenant.id,
    chainUid: 'tron',
    name: 'Guardian',
    privateKey: key,
  });
  expect(wallet.address).toBe(guardian);
  // An address as people know it, in the values of a call.
  const action = await vigil.ok('POST', 'action', {
    contractId,
    walletId: wallet.id,
    name: 'Mint back',
    funcSignature: 'mint(address to, uint256 amount)',
    params: [
      { name: 'to', value: showAddress(friend) },
      { name: 'amount', value: '5' },
    ],
    fireAt: 'head',
  });
  const destination = await vigil.ok('POST', 'destination', {
    tenantId: tenant.id,
    type: 'HTTP',
    uri: `${sink.url}/hook`,
  });
  const { data: schemas } = await vigil.ok('POST', 'detector/schema/search', { size: 1000 });
  await vigil.ok('POST', 'detector', {
    contractId,
    schemaId: schemas.find(({ name }: Json) => name === 'large_transfer').id,
    name: 'Large transfers',
    config: { threshold: '500' },
    destinations: [{ tenantDestinationId: destination.id }],
    actions: [{ actionId: action.id }],
  });

  const theft = await token.send(thief, 'transfer', friend, 600_000_000n);
  const id = theft.transactionHash.slice(2);
  const alerts = async (query: string): Promise<Json[]> =>
    (await vigil.ok('POST', 'alert/search', { query, size: 100 })).data;
  await until(async () => (await alerts(`txHash:${id}`)).length > 0);
  await vigil.stop('SIGKILL');
  await runStatement(dataDir, 'update delivery set lease_until = now() where lease_until > now()');
  vigil = await workspace.serve(dataDir, env);
  const intents = async (): Promise<Json[]> => (await vigil.ok('GET', `action/${action.id}/intent`)).data;
  await until(async () => {
    await anvil.mine();
    return (await intents()).some(({ state }) => state === 'CONFIRMED');
  }, 30_000);
  expect(await token.call('balanceOf', friend)).toBe(600_000_005n);
  expect(await intents()).toMatchObject([{ state: 'CONFIRMED' }]);
  await until(() =>
    sink.received.some(({ text }) => text.includes(`600 GLD moved from ${showAddress(thief)}`)),
  );

  const depth = (await tron.height()) - Number(theft.blockNumber) + 1;
  await tron.reorganise(depth);
  await anvil.mine(2);
  await until(async () => (await alerts(`txHash:${id} AND status:RETRACTED`)).length > 0);
}, 120_000);

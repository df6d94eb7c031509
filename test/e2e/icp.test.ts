import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { icpLedgerId } from '../../src/chains/icp/createLedger.ts';
import { icpRules } from '../../src/chains/icp/icpRules.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { runStatement } from '../../testing/databaseOf.ts';
import { addLedger, canisterId } from '../../testing/icp/ledgerCanister.ts';
import { type Replica, startReplica } from '../../testing/icp/startReplica.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';

const thief = 'w7x7r-cok77-xa';
const [vaultId, tokenId] = [canisterId(9), canisterId(7)];
let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let sink: HttpSink;
let replica: Replica;
let liar: Replica;
beforeEach(async () => {
  [workspace, sink, replica, liar] = await Promise.all([
    createWorkspace(),
    startHttpSink(),
    startReplica(),
    startReplica(),
  ]);
});
afterEach(async () => {
  await workspace?.remove();
  await sink?.close();
  await replica?.stop();
  await liar?.stop();
});

it('Internet Computer: an entry of a ledger raises an alert, which notifies and pays to safety once, through kill -9, past endpoints that lie and that are dead', async () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const read = icpRules.readKey(pem);
  if ('fault' in read) throw new Error(read.fault);
  const guard = icpRules.deriveAddress(read.key, chains.icp);
  const icp = addLedger(replica, icpLedgerId, { kind: 'icp', symbol: 'ICP' });
  const token = addLedger(replica, tokenId, { kind: 'icrc', symbol: '<b>‮GLD', decimals: 6 });
  // It says that it is of the same network, and that no one has ever moved anything.
  addLedger(liar, icpLedgerId, { kind: 'icp', symbol: 'ICP' });
  addLedger(liar, tokenId, { kind: 'icrc', symbol: 'GLD' });
  liar.claimedKey = replica.rootKey;
  icp.mint(guard, 500_000_000n);
  // Each below the threshold, so that following from this very second raises nothing.
  for (let n = 0; n < 3; n++) token.mint(vaultId, 400_000_000n);

  const dataDir = workspace.folder('data');
  const env = {
    VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
    VIGIL_RPC_ICP: `${liar.url},http://127.0.0.1:1,${replica.url}`,
    VIGIL_CHAIN_ICP_NETWORK: replica.rootKey,
  };
  let vigil: Vigil = await workspace.serve(dataDir, env);
  const tenant = await vigil.ok('POST', 'tenant', { name: 'Acme' });
  const project = await vigil.ok('POST', 'project', { tenantId: tenant.id, name: 'Gold' });
  const { id: contractId } = await vigil.ok('POST', 'contract', {
    projectId: project.id,
    chainUid: 'icp',
    address: vaultId,
    name: 'Vault <script>',
  });
  const { id: ledgerContract } = await vigil.ok('POST', 'contract', {
    projectId: project.id,
    chainUid: 'icp',
    address: icpLedgerId,
    name: 'Ledger of ICP',
  });
  const wallet = await vigil.ok('POST', 'wallet', {
    allowedCalls: null,
    tenantId: tenant.id,
    chainUid: 'icp',
    name: 'Guard',
    privateKey: pem,
  });
  expect(wallet.address).toBe(guard);
  const safe = canisterId(40);
  const action = await vigil.ok('POST', 'action', {
    contractId: ledgerContract,
    walletId: wallet.id,
    name: 'To safety',
    funcSignature: 'icrc1_transfer',
    params: [
      { name: 'to', value: safe },
      { name: 'amount', value: '50000000' },
    ],
    fireAt: 'head',
  });
  expect(await vigil.ok('POST', `action/${action.id}/simulate`, {})).toMatchObject({
    fires: true,
    success: true,
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
    config: { threshold: '500', token: tokenId },
    destinations: [{ tenantDestinationId: destination.id }],
    actions: [{ actionId: action.id }],
  });
  const state = async (): Promise<Json> =>
    (await vigil.ok('GET', 'chain')).data.find(({ chainUid }: Json) => chainUid === 'icp');
  const from = Math.floor(Date.now() / 1000);
  await until(async () => (await state()).processed >= from);

  const theft = token.move(vaultId, thief, 600_000_000n);
  const alerts = async (): Promise<Json[]> =>
    (await vigil.ok('POST', 'alert/search', { query: `txHash:${tokenId}_${theft}`, size: 100 })).data;
  await until(async () => (await alerts()).length > 0);
  await vigil.stop('SIGKILL');
  await runStatement(dataDir, 'update delivery_queue set lease_until = now() where lease_until > now()');
  vigil = await workspace.serve(dataDir, env);
  const intents = async (): Promise<Json[]> => (await vigil.ok('GET', `action/${action.id}/intent`)).data;
  await until(async () => (await intents()).some(({ state: each }) => each === 'CONFIRMED'), 90_000);
  expect(await intents(), JSON.stringify(await intents())).toMatchObject([
    { state: 'CONFIRMED', cost: '50010000' },
  ]);
  expect(icp.balanceOf(safe)).toBe(50_000_000n);
  expect(await alerts()).toHaveLength(1);
  await until(() => sink.received.some(({ text }) => text.includes('600 ') && text.includes(thief)));
  expect(sink.received.map(({ text }) => text).join()).not.toContain('‮');
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAsset } from '../../src/chains/stellar/network.ts';
import { runStatement } from '../../testing/bundledPostgres.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import type { Json } from '../../testing/startTestApi.ts';
import {
  type Stellar,
  startStellar,
  stellarKey,
  stellarPassphrase,
} from '../../testing/stellar/startStellar.ts';
import { until } from '../../testing/until.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let sink: HttpSink;
let node: Stellar;
let liar: Stellar;
beforeAll(async () => {
  [workspace, sink, node, liar] = await Promise.all([
    createWorkspace(),
    startHttpSink(),
    startStellar({ isUnified: true }),
    startStellar(),
  ]);
});
afterAll(async () => {
  await workspace?.remove();
  await sink?.close();
  await node?.stop();
  await liar?.stop();
});

it('Stellar: a ledger raises an alert, which notifies and freezes the thief once, through kill -9 and endpoints that are dead or lie', async () => {
  const [issuer, treasury, thief] = [41, 42, 43].map(stellarKey) as [
    ReturnType<typeof stellarKey>,
    ReturnType<typeof stellarKey>,
    ReturnType<typeof stellarKey>,
  ];
  const name = `GOLD:${issuer.address}`;
  const gold = parseAsset(name);
  for (const { address } of [issuer, treasury, thief]) node.fund(address, 1_000_000_000n);
  const options = {
    inflation_dest: null,
    clear_flags: null,
    set_flags: 2,
    master_weight: null,
    low_threshold: null,
    med_threshold: null,
    high_threshold: null,
    // As hostile as a ledger takes it.
    home_domain: '<script>"{{x}}',
    signer: null,
  };
  for (const holder of [treasury, thief])
    node.submit([{ change_trust: { line: gold, limit: '9000000000000000000' } }], holder);
  const pay = (to: string, stroops: string) => ({
    payment: { destination: to, asset: gold, amount: stroops },
  });
  node.submit([pay(treasury.address, '9000000000000000')], issuer);
  liar.faults.lying = true;

  const dataDir = workspace.folder('data');
  const env = {
    VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
    VIGIL_RPC_STELLAR: `http://127.0.0.1:9,${liar.url},${node.url}`,
    VIGIL_CHAIN_STELLAR_NETWORK: stellarPassphrase,
  };
  let vigil: Vigil = await workspace.serve(dataDir, env);
  const tenant = await vigil.ok('POST', 'tenant', { name: 'Acme' });
  const project = await vigil.ok('POST', 'project', { tenantId: tenant.id, name: 'Gold' });
  const add = (address: string, label: string) =>
    vigil.ok('POST', 'contract', { projectId: project.id, chainUid: 'stellar', address, name: label });
  const { id: contractId } = await add(treasury.address, 'Treasury <b>"&\u202e');
  const { id: issuerId } = await add(issuer.address, 'Issuer');
  await until(async () => {
    const { data } = await vigil.ok('GET', 'chain');
    return data.find(({ chainUid }: Json) => chainUid === 'stellar').processed >= node.latest();
  }, 60_000);
  const wallet = await vigil.ok('POST', 'wallet', {
    tenantId: tenant.id,
    chainUid: 'stellar',
    name: 'Issuer',
    privateKey: issuer.seed,
  });
  expect(wallet.address).toBe(issuer.address);
  const action = await vigil.ok('POST', 'action', {
    contractId,
    walletId: wallet.id,
    name: 'Freeze',
    funcSignature: 'set_trust_line_flags',
    params: [
      { name: 'trustor', value: thief.address },
      { name: 'asset', value: name },
      { name: 'authorization', value: 'none' },
    ],
    fireAt: 'head',
  });
  const destination = await vigil.ok('POST', 'destination', {
    tenantId: tenant.id,
    type: 'HTTP',
    uri: `${sink.url}/hook`,
  });
  const { data: schemas } = await vigil.ok('POST', 'detector/schema/search', { size: 1000 });
  const detect = (watched: number, schema: string, config: Json, members: Json = {}) =>
    vigil.ok('POST', 'detector', {
      contractId: watched,
      schemaId: schemas.find((each: Json) => each.name === schema).id,
      name: schema,
      config,
      ...members,
    });
  await detect(issuerId, 'access_control_change', {});
  await detect(
    contractId,
    'large_transfer',
    { threshold: '500000' },
    { destinations: [{ tenantDestinationId: destination.id }], actions: [{ actionId: action.id }] },
  );

  node.submit([{ set_options: options }], issuer);
  // The largest amount that an asset has.
  const theft = node.submit([pay(thief.address, '9000000000000000')], treasury);
  const alerts = async (query: string): Promise<Json[]> =>
    (await vigil.ok('POST', 'alert/search', { query, size: 100 })).data;
  await until(async () => (await alerts(`txHash:${theft}`)).length > 0, 60_000);
  await vigil.stop('SIGKILL');
  await runStatement(dataDir, 'update delivery set lease_until = now() where lease_until > now()');
  node.close();
  vigil = await workspace.serve(dataDir, env);
  const intents = async (): Promise<Json[]> => (await vigil.ok('GET', `action/${action.id}/intent`)).data;
  await until(async () => (await intents()).some(({ state }) => state === 'CONFIRMED'), 60_000);
  expect(await intents()).toMatchObject([{ state: 'CONFIRMED' }]);
  expect(node.state.trustline(thief.address, gold)).toMatchObject({ flags: 0, balance: '9000000000000000' });
  // Each transaction of the issuer took one number: the payment and the options by hand, and one of Vigil's.
  const { seq_num } = node.state.account(issuer.address)!;
  expect(BigInt(seq_num) % 2n ** 32n).toBe(3n);
  await until(() => sink.received.some(({ text }) => text.includes('900,000,000 GOLD moved from')), 60_000);
  expect((await alerts(`txHash:${theft}`)).length).toBe(1);
  const domains = await alerts('detectorSchemaName:access_control_change');
  expect(domains.map(({ message }) => message).join()).toContain('authorization revocable');
  expect(domains.map(({ message }) => message).join()).toContain('to <script>"{{x}}');
}, 180_000);

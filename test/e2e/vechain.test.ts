import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runStatement } from '../../testing/bundledPostgres.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { encodeDeployment, encodeFunction } from '../../testing/createContract.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { findThor, noThor, startThor, type Thor, thorAddress, thorKeys } from '../../testing/startThor.ts';
import { until } from '../../testing/until.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';

const program = findThor();
const { Token } = artifacts;
const [thief, guardian] = thorKeys.map(thorAddress) as [string, string];

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let sink: HttpSink;
let node: Thor;
beforeEach(({ skip }) => skip(!program, noThor));
beforeAll(async () => {
  if (!program) return;
  [workspace, sink, node] = await Promise.all([createWorkspace(), startHttpSink(), startThor(program)]);
});
afterAll(async () => {
  await workspace?.remove();
  await sink?.close();
  await node?.stop();
});

it('VeChain: a block raises an alert, which notifies and fires a signed call once, through kill -9; another chain takes it back', async () => {
  const dataDir = workspace.folder('data');
  const env = {
    VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
    VIGIL_RPC_VECHAIN: node.url,
    VIGIL_CHAIN_VECHAIN_NETWORK: node.genesis,
    VIGIL_CHAIN_VECHAIN_CONFIRMATIONS: '1',
    VIGIL_CHAIN_VECHAIN_START_BLOCK: '0',
  };
  let vigil: Vigil = await workspace.serve(dataDir, env);
  const send = (name: string, args: unknown[], key: string) =>
    node.send([{ to: token, data: encodeFunction(Token, name, args) }], { key });
  const deployed = await node.send([{ data: encodeDeployment(Token, ['Gold', 'GLD', 18, 10n ** 24n]) }], {
    key: thorKeys[1],
  });
  const token = deployed.outputs[0].contractAddress;
  await send('transfer', [thief, 10n ** 21n], thorKeys[1]);

  const tenant = await vigil.ok('POST', 'tenant', { name: 'Acme' });
  const project = await vigil.ok('POST', 'project', { tenantId: tenant.id, name: 'Gold' });
  const contract = {
    projectId: project.id,
    chainUid: 'vechain',
    address: token,
    name: 'Gold',
    abi: Token.abi,
  };
  const { id: contractId } = await vigil.ok('POST', 'contract', contract);
  // The tokens that were made at first are no alert of a detector that is added later.
  await until(async () => {
    const { data } = await vigil.ok('GET', 'chain');
    return data.find(({ chainUid }: Json) => chainUid === 'vechain').processed >= (await node.height());
  }, 30_000);
  const wallet = await vigil.ok('POST', 'wallet', {
    tenantId: tenant.id,
    chainUid: 'vechain',
    name: 'Guardian',
    privateKey: thorKeys[1],
  });
  expect(wallet.address.toLowerCase()).toBe(guardian);
  const action = await vigil.ok('POST', 'action', {
    contractId,
    walletId: wallet.id,
    name: 'Pause',
    funcSignature: 'pause()',
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

  const theft = await send('transfer', [guardian, 6n * 10n ** 20n], thorKeys[0]);
  const alerts = async (query: string): Promise<Json[]> =>
    (await vigil.ok('POST', 'alert/search', { query, size: 100 })).data;
  await until(async () => (await alerts(`txHash:${theft.meta.txID}`)).length > 0);
  await vigil.stop('SIGKILL');
  await runStatement(dataDir, 'update delivery set lease_until = now() where lease_until > now()');
  vigil = await workspace.serve(dataDir, env);
  const intents = async (): Promise<Json[]> => (await vigil.ok('GET', `action/${action.id}/intent`)).data;
  // A block on top of the call confirms it.
  const isConfirmed = async () => {
    await node.send([{ to: thief, value: 1n }]);
    return (await intents()).some(({ state }) => state === 'CONFIRMED');
  };
  await until(isConfirmed, 30_000);
  const calls = await node.request('/logs/event', { criteriaSet: [{ address: token, topic0: pausedTopic }] });
  expect(calls).toHaveLength(1);
  expect(calls[0].meta.txOrigin).toBe(guardian);
  expect(await intents()).toMatchObject([{ state: 'CONFIRMED' }]);
  await until(() => sink.received.some(({ text }) => text.includes('600 GLD moved from')));

  const height = await node.height();
  await node.startAgain();
  while ((await node.height()) <= height) await node.send([{ to: thief, value: 1n }]);
  await until(async () => (await alerts(`txHash:${theft.meta.txID} AND status:RETRACTED`)).length > 0);
}, 120_000);

/** Paused(address) */
const pausedTopic = '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258';

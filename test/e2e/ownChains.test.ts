import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChainUid, setOwnChainUids } from '../../src/model/chainUid.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { createWorkspace, type Environment, type Vigil } from '../../testing/createWorkspace.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';

const chainId = 987_654;
const privateKey = `0x${'2a'.repeat(32)}`;
const facts = {
  chainUid: 'acme_chain',
  name: 'Acme Chain',
  network: 'DEVNET',
  chainId,
  currency: { symbol: 'ACME', decimals: 18 },
  blockTimeMs: 1000,
  // A transaction makes a block here, and none comes after it.
  confirmations: 0,
  explorer: { address: 'https://scan.example.com/a/{}', transaction: 'https://scan.example.com/t/{}' },
};

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let anvil: Anvil;
let sink: HttpSink;
beforeAll(async () => {
  // The receiver holds messages to the schemas of this process.
  setOwnChainUids([facts.chainUid as ChainUid]);
  [workspace, anvil, sink] = await Promise.all([
    createWorkspace(),
    startAnvil({ args: ['--chain-id', String(chainId)] }),
    startHttpSink(),
  ]);
});
afterAll(async () => {
  // Other files run in this process, and know no such chain.
  setOwnChainUids([]);
  await workspace.remove();
  await Promise.all([anvil.stop(), sink.close()]);
});

const chainOf = async (vigil: Vigil): Promise<Json> =>
  (await vigil.ok('GET', 'chain')).data.find(({ chainUid }: Json) => chainUid === 'acme_chain');
const alertsOf = async (vigil: Vigil, query: string): Promise<Json[]> =>
  (await vigil.ok('POST', 'alert/search', { query, size: 100 })).data;

/** A token whose change of owner a detector tells and a trigger answers with a signed call. */
async function guard(vigil: Vigil) {
  const token = await anvil.deploy(artifacts.Token, 'Vigil', 'VGL', 18, 10n ** 24n);
  await anvil.mine();
  const tenant = await vigil.ok('POST', 'tenant', { name: 'Acme' });
  const project = await vigil.ok('POST', 'project', { tenantId: tenant.id, name: 'Gold' });
  const contract = await vigil.ok('POST', 'contract', {
    projectId: project.id,
    name: 'Token',
    chainUid: 'acme_chain',
    address: token.address,
    abi: artifacts.Token.abi,
  });
  const destination = await vigil.ok('POST', 'destination', {
    tenantId: tenant.id,
    type: 'HTTP',
    uri: `${sink.url}/hook`,
  });
  const { data: schemas } = await vigil.ok('POST', 'detector/schema/search', {
    where: "name = 'ownership_change'",
  });
  await vigil.ok('POST', 'detector', {
    contractId: contract.id,
    schemaId: schemas[0].id,
    name: 'Owner',
    destinations: [{ tenantDestinationId: destination.id }],
  });
  const wallet = await vigil.ok('POST', 'wallet', {
    allowedCalls: null,
    tenantId: tenant.id,
    name: 'Guardian',
    chainUid: 'acme_chain',
    privateKey,
  });
  await anvil.setBalance(wallet.address, 10n ** 18n);
  const [, heir] = anvil.accounts;
  const trigger = await vigil.ok('POST', 'trigger', {
    contractId: contract.id,
    name: 'Owner moved',
    triggerType: 'EVENT_EMITTED',
    params: {
      signature: 'OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)',
    },
    alerts: [{ severity: 'LOW', name: 'The owner moved' }],
  });
  const action = await vigil.ok('POST', 'action', {
    contractId: contract.id,
    walletId: wallet.id,
    name: 'Approve',
    funcSignature: 'approve(address spender, uint256 value)',
    fireAt: 'head',
    params: [
      { name: 'spender', value: heir },
      { name: 'value', value: '1' },
    ],
    triggerAlerts: [{ triggerAlertId: trigger.alerts[0].id }],
  });
  return { token, action };
}

describe('a chain of the operator', () => {
  it('a chain of the operator added in one process is followed, notified of and acted on by another, and signs with its chain id', async () => {
    const database = await createTestDatabase('migrated');
    const shared: Environment = {
      DATABASE_URL: database.url,
      VIGIL_MASTER_KEY: randomBytes(32).toString('hex'),
      VIGIL_ADMIN_TOKEN: 'an-administrator-of-the-tests-0123456789',
      VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
    };
    const watcherEnv = { ...shared, VIGIL_ROLES: 'watch,work', VIGIL_LOG_LEVEL: 'info' };
    const api = await workspace.serve(workspace.folder('api'), { ...shared, VIGIL_ROLES: 'api' });
    let watcher = await workspace.serve(workspace.folder('watch'), watcherEnv);
    const made = await api.ok('POST', 'chain', { ...facts, endpoints: [anvil.url] });
    expect(made).toMatchObject({ chainUid: 'acme_chain', isOwn: true, isFixed: false });
    const { token, action } = await guard(api);
    await until(async () => (await chainOf(api)).processed !== null);

    const [owner, heir, third] = anvil.accounts;
    const { transactionHash } = await token.send(owner, 'transferOwnership', heir);
    await until(async () => (await alertsOf(api, `txHash:${transactionHash}`)).length > 0);
    const [alert] = await alertsOf(api, 'detectorSchemaName:ownership_change AND chainUid:acme_chain');
    expect(alert).toMatchObject({ chainUid: 'acme_chain', txHash: transactionHash });
    await until(() => sink.received.length > 0);
    expect(sink.received[0]!.text).toContain('acme_chain');
    expect(sink.received[0]!.text).toContain(`https://scan.example.com/t/${transactionHash}`);

    const intent = await until(async () => {
      const [found] = (await api.ok('GET', `action/${action.id}/intent`)).data;
      expect(found?.state, found?.reason).not.toBe('FAILED');
      return found?.state === 'CONFIRMED' && found;
    });
    const sent = await anvil.rpc<Json>('eth_getTransactionByHash', intent.txHash);
    expect(Number(sent.chainId)).toBe(chainId);

    // What changes is known to the process that follows, and nothing is missed meanwhile.
    await api.ok('PUT', 'chain/acme_chain', {
      name: 'Acme Main',
      explorer: { address: 'https://new.example.com/a/{}', transaction: 'https://new.example.com/t/{}' },
    });
    expect(await chainOf(api)).toMatchObject({ name: 'Acme Main' });
    await until(() =>
      `${watcher.stdout()}${watcher.stderr()}`.includes('The facts of the chain have changed'),
    );
    const again = await token.send(owner, 'transferOwnership', third);
    await until(() =>
      sink.received.some(({ text }) => text.includes(`https://new.example.com/t/${again.transactionHash}`)),
    );

    // After a restart the chain is known before anything is followed.
    await watcher.stop();
    const meanwhile = await token.send(owner, 'transferOwnership', heir);
    watcher = await workspace.serve(workspace.folder('watch'), watcherEnv);
    await until(async () => (await alertsOf(api, `txHash:${meanwhile.transactionHash}`)).length > 0);
    await Promise.all([api.stop(), watcher.stop()]);
    await database.drop();
  });

  it('a chain of the operator named by the environment is fixed, followed, and stays when the environment names it no more', async () => {
    const folder = workspace.folder('environment');
    const file = `${folder}.json`;
    writeFileSync(file, JSON.stringify([{ ...facts, endpoints: [anvil.url] }]));
    let vigil = await workspace.serve(folder, {
      VIGIL_CHAINS_FILE: file,
      VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
      VIGIL_CHAIN_ACME_CHAIN_CONFIRMATIONS: '2',
    });
    expect(await vigil.ok('GET', 'chain/acme_chain')).toMatchObject({ isOwn: true, isFixed: true, chainId });
    expect(await chainOf(vigil)).toMatchObject({ configured: true, confirmations: 2 });
    const { data: fixed } = await vigil.ok('GET', 'chain/acme_chain/endpoint');
    expect(fixed).toMatchObject([{ isFixed: true, name: 'VIGIL_CHAINS or VIGIL_RPC_ACME_CHAIN' }]);
    for (const method of ['PUT', 'DELETE'] as const) {
      const { status, body } = await vigil.call(
        method,
        'chain/acme_chain',
        method === 'PUT' ? { name: 'X' } : undefined,
      );
      expect([status, body.detail]).toEqual([409, expect.stringContaining('VIGIL_CHAINS')]);
    }
    const { token } = await guard(vigil);
    await until(async () => (await chainOf(vigil)).processed !== null);
    const [owner, heir] = anvil.accounts;
    const { transactionHash } = await token.send(owner, 'transferOwnership', heir);
    await until(async () => (await alertsOf(vigil, `txHash:${transactionHash}`)).length > 0);
    await vigil.stop();

    vigil = await workspace.serve(folder, { VIGIL_ALLOW_NETWORKS: '127.0.0.0/8' });
    expect(await vigil.ok('GET', 'chain/acme_chain')).toMatchObject({ isOwn: true, isFixed: false });
    expect(await chainOf(vigil)).toMatchObject({ configured: false });
    expect((await alertsOf(vigil, 'chainUid:acme_chain')).length).toBeGreaterThan(0);
    await vigil.stop();

    // What cannot be is said at the start, and changes nothing.
    for (const [members, words] of [
      [{ chainId: 5 }, 'acme_chain is the name of another network (the chain id 987654)'],
      [{ chainUid: 'other', chainId: 1 }, 'the chain id 1 is that of Ethereum'],
      [{ chainUid: 'other' }, 'the chain id 987654 is that of Acme Chain'],
    ] as const) {
      const text = JSON.stringify([{ ...facts, ...members }]);
      const { ended } = workspace.startServe(folder, { VIGIL_CHAINS: text });
      const { code, stderr } = await ended;
      expect([code === 0, stderr]).toEqual([false, expect.stringContaining(words)]);
    }
  });
});

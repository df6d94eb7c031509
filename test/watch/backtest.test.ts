import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

let anvil: Anvil;
let gate: Awaited<ReturnType<typeof startGate>>;
let vigil: TestWatch;
let token: Contract;
let contractId: number;
let schemaId: number;
beforeAll(async () => {
  anvil = await startAnvil();
  gate = await startGate(anvil.url);
  vigil = await startTestWatch({ anvil: { urls: [gate.url] } });
  token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 24n);
  contractId = await vigil.addContract(token.address);
  const found = await vigil.ok('POST', 'detector/schema/search', { where: "name = 'ownership_change'" });
  schemaId = found.data[0].id;
  for (const owner of anvil.accounts.slice(1, 4))
    await token.send(anvil.accounts[0], 'transferOwnership', owner);
  vigil.watch();
});
afterAll(async () => {
  await vigil?.stop();
  await gate?.stop();
  await anvil?.stop();
});

const over = (uid: string) =>
  until(async () => {
    const read = await vigil.ok('GET', `backtest/${uid}`);
    return ['DONE', 'FAILED', 'CANCELED'].includes(read.state) ? read : undefined;
  });

describe('backtests', () => {
  it('run a proposed detector over past blocks and count what it would have raised, without raising it', async () => {
    const body = {
      contractId,
      schemaId,
      config: { allowedOwners: [anvil.accounts[1]] },
      fromBlock: 2,
      toBlock: 4,
    };
    const made = await vigil.ok('POST', 'detector/backtest', body);
    expect(made).toMatchObject({ contractId, detectorId: null, state: 'QUEUED', progress: 0, result: null });
    const done: Json = await over(made.uid);
    expect(done).toMatchObject({ state: 'DONE', progress: 1, processed: 3, fault: null });
    expect(done.result).toMatchObject({
      blocks: 3,
      transactions: 3,
      alerts: 2,
      bySeverity: { CRITICAL: 2 },
      faults: 0,
    });
    expect(done.result.byDay.reduce((sum: number, { count }: Json) => sum + count, 0)).toBe(2);
    expect(done.result.samples).toHaveLength(2);
    expect(await vigil.alerts()).toEqual([]);
  });

  it('list who would have been notified and what would have been fired', async () => {
    const bound = await vigil.ok('POST', 'destination', {
      tenantId: vigil.tenantId,
      type: 'EMAIL',
      value: 'a@example.com',
    });
    const destinations = [{ tenantDestinationId: bound.id }];
    const id = await vigil.addDetector(contractId, 'ownership_change', {}, { destinations });
    const { uid } = await vigil.ok('POST', `detector/${id}/backtest`, { fromBlock: 2, toBlock: 4 });
    expect((await over(uid)).result).toMatchObject({
      alerts: 3,
      notified: [{ destinationId: bound.id, alerts: 3 }],
      fired: [],
    });
  });

  it('fail with a reason when the chain has no such blocks', async () => {
    const detectorId = await vigil.addDetector(contractId, 'ownership_change');
    const made = await vigil.ok('POST', `detector/${detectorId}/backtest`, {
      fromBlock: 5000,
      toBlock: 5001,
    });
    expect(await over(made.uid)).toMatchObject({
      state: 'FAILED',
      detectorId,
      fault: 'The chain has no block 5000.',
    });
  });

  it('can be cancelled while they run, and stay as they are afterwards', async () => {
    await anvil.rpc('anvil_mine', '0x40');
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
    const reopen = gate.holdBlocksFrom(40);
    const body = { contractId, schemaId, fromBlock: 1, toBlock: 60 };
    const { uid } = await vigil.ok('POST', 'detector/backtest', body);
    await until(async () => (await vigil.ok('GET', `backtest/${uid}`)).processed > 0);
    expect(await vigil.ok('POST', `backtest/${uid}/cancel`)).toMatchObject({
      state: 'CANCELED',
      result: null,
    });
    reopen();
    expect(await vigil.ok('GET', `backtest/${uid}`)).toMatchObject({ state: 'CANCELED' });
  });

  it.each([
    [{ fromBlock: 9, toBlock: 3 }, 422, '/toBlock'],
    [{ fromBlock: 0, toBlock: 100_000 }, 422, '/toBlock'],
    [{ fromBlock: -1, toBlock: 3 }, 400, '/fromBlock'],
    [{ fromBlock: 0, toBlock: 3, contractId: 999_999 }, 422, '/contractId'],
    [{ fromBlock: 0, toBlock: 3, schemaId: 999_999 }, 422, '/schemaId'],
    [{ fromBlock: 0, toBlock: 3, config: { allowedOwner: [] } }, 422, '/config'],
  ])('refuse %j with %i at %s', async (change, status, pointer) => {
    const answer = await vigil.call('POST', 'detector/backtest', { contractId, schemaId, ...change });
    expect(answer.status).toBe(status);
    expect(answer.body.errors[0].pointer).toBe(pointer);
  });
});

describe('explaining', () => {
  it('explains step by step why a transaction raises an alert, and why another does not', async () => {
    const detectorId = await vigil.addDetector(contractId, 'ownership_change');
    const changed = await token.send(anvil.accounts[0], 'transferOwnership', anvil.accounts[5]);
    const alert = await vigil.ok('POST', `detector/${detectorId}/explain`, {
      txHash: changed.transactionHash,
    });
    expect(alert).toMatchObject({
      verdict: 'ALERT',
      alerts: [{ severity: 'CRITICAL', txHash: changed.transactionHash }],
    });
    const stepsOf = (reply: Json) =>
      reply.steps.map(({ step }: Json) => step).filter((step: string) => step !== 'question');
    expect(stepsOf(alert)).toEqual(['configuration', 'transaction', 'match', 'evaluation']);
    const paid = await token.send(anvil.accounts[0], 'transfer', anvil.accounts[5], 1n);
    const none = await vigil.ok('POST', `detector/${detectorId}/explain`, { txHash: paid.transactionHash });
    expect(none).toMatchObject({ verdict: 'NO_ALERT', alerts: [] });
    const missing = await vigil.call('POST', `detector/${detectorId}/explain`, {
      txHash: `0x${'ab'.repeat(32)}`,
    });
    expect(missing.status).toBe(404);
  });

  it('rebuilds what a detector remembered before the block', async () => {
    const [owner] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.VaultV1);
    await token.send(owner, 'approve', vault.address, 100n);
    await vault.send(owner, 'depositToken', token.address, 100n);
    const vaultId = await vigil.addContract(vault.address);
    const [drop, rate] = [
      await vigil.addDetector(vaultId, 'tvl_drop', { tokens: [{ token: token.address, threshold: '5%' }] }),
      await vigil.addDetector(vaultId, 'outflow_rate', {
        token: token.address,
        limit: '10%',
        window: '1 min',
      }),
    ];
    const explain = (id: number, txHash: string) => vigil.ok('POST', `detector/${id}/explain`, { txHash });
    const withdraw = async (amount: bigint) =>
      (await vault.send(owner, 'withdrawToken', token.address, amount)).transactionHash;
    const [small, large] = [await withdraw(4n), await withdraw(8n)];
    // Neither is more than a limit by itself for the rate, and only the second one for the drop.
    expect(await explain(drop, small)).toMatchObject({ verdict: 'NO_ALERT' });
    const dropped = await explain(drop, large);
    expect(dropped).toMatchObject({
      verdict: 'ALERT',
      alerts: [{ txHash: large, meta: { percent: 8.3333 } }],
    });
    const nothing = 'Nothing in the transaction interests the detector.';
    expect(dropped.steps.map(({ text: said }: Json) => said)).not.toContain(nothing);
    expect(await explain(rate, small)).toMatchObject({ verdict: 'NO_ALERT' });
    const reply = await explain(rate, large);
    expect(reply).toMatchObject({ verdict: 'ALERT', alerts: [{ meta: { rawOutflow: '12', percent: 12 } }] });
    expect(reply.steps).toContainEqual({ step: 'state', text: expect.stringContaining('rebuilt') });
  });
});

/** Stands before a node, and can hold requests for late blocks back. */
async function startGate(target: string) {
  let held: { from: number; isOpen: Promise<void> } | undefined;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const numbers = [...body.matchAll(/"0x([0-9a-f]{1,8})"/g)].map(([, digits]) =>
      Number.parseInt(digits!, 16),
    );
    if (held && /eth_getBlockByNumber|eth_getLogs/.test(body) && Math.max(...numbers) >= held.from)
      await held.isOpen;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(target, { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  };
  const server = createServer((request, response) => void pass(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdBlocksFrom(from: number): () => void {
      let open = () => {};
      const isOpen = new Promise<void>((resolve) => {
        open = resolve;
      });
      held = { from, isOpen };
      return open;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

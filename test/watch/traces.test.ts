import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Contract, encodeDeployment } from '../../testing/createContract.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { startTraceProxy } from '../../testing/startTraceProxy.ts';
import { until } from '../../testing/until.ts';

const ether = 10n ** 18n;
let anvil: Anvil;
let node: Awaited<ReturnType<typeof startTraceProxy>>;
let vigil: TestWatch;
let watching: { stop(): Promise<void> };
let vault: Contract;
let thief: Contract;
let contractId: number;

beforeAll(async () => {
  anvil = await startAnvil();
  node = await startTraceProxy(anvil.url);
  vigil = await startTestWatch({
    anvil: { urls: [node.url], traceLimits: { transactionBytes: 64 * 1024 * 1024 } },
  });
  vault = await anvil.deploy(artifacts.SilentVault);
  thief = await anvil.deploy(artifacts.Thief, vault.address);
  contractId = await vigil.addContract(vault.address, { name: 'Vault', abi: vault.abi });
  await vigil.addDetector(contractId, 'reentrancy');
  await vigil.addDetector(contractId, 'drain');
  watching = vigil.watch();
  await anvil.mine();
  await vigil.reached('anvil', Number(await anvil.blockNumber()));
});

afterAll(async () => {
  await vigil?.stop();
  await node?.stop();
  await anvil?.stop();
});

/** Drains the vault by inner calls alone, without a log. */
async function attack(): Promise<{ hash: string; number: number }> {
  const [owner, , attacker] = anvil.accounts;
  await vault.send({ from: owner, value: 5n * ether }, 'deposit');
  const { transactionHash, blockNumber } = await thief.send({ from: attacker, value: ether }, 'attack');
  await vigil.reached('anvil', Number(blockNumber));
  return { hash: transactionHash, number: Number(blockNumber) };
}

async function alertsOf(hash: string): Promise<string[]> {
  return (await vigil.alerts(`txHash:${hash}`))
    .map(({ detectorSchemaName }: Json) => detectorSchemaName)
    .toSorted((a: string, b: string) => a.localeCompare(b));
}

async function traces(): Promise<Json> {
  const { data } = await vigil.ok('GET', 'chain');
  const chain = data.find(({ chainUid }: Json) => chainUid === 'anvil');
  return { watchState: chain.watchState, ...chain.traces };
}

/** The blocks that wait are due at once. */
async function hurry(): Promise<void> {
  await vigil.store.query(sql`update untraced_block set next_attempt_at = 0`);
}

/** Runs a backtest to its end. */
async function backtest(api: TestWatch, id: number, fromBlock: number, toBlock: number): Promise<Json> {
  const { uid } = await api.ok('POST', `detector/${id}/backtest`, { fromBlock, toBlock });
  return until(async () => {
    const { state, result } = await api.ok('GET', `backtest/${uid}`);
    return state === 'DONE' ? result : undefined;
  });
}

describe('traces', () => {
  it('show an attack by inner calls alone, once', async () => {
    const { hash } = await attack();
    expect(await alertsOf(hash)).toEqual(['drain', 'reentrancy']);
    await until(async () => (await traces()).state === 'ok' && (await traces()).waiting === 0);
    expect(await traces()).toMatchObject({ mode: 'auto', kinds: ['debug'], givenUp: null, reason: null });
  });

  it.each(['failing', 'wrong'] as const)(
    'traces that are %s let the chain go on, are reported as late, and are evaluated once when they come',
    async (tracing) => {
      node.tracing = tracing;
      const { hash, number } = await attack();
      expect(await alertsOf(hash)).toEqual([]);
      await until(async () => (await traces()).state === 'late');
      const { reason, waiting } = await traces();
      expect(reason).toMatch(tracing === 'wrong' ? /do not fit/ : /did not give/);
      expect(waiting).toBeGreaterThan(0);
      // What stops here is as good as killed: all that remains is in the store.
      await watching.stop();
      node.tracing = 'ok';
      // As if a minute had passed.
      await vigil.store.query(sql`update untraced_block set created_at = created_at - 60000`);
      await hurry();
      watching = vigil.watch();
      await until(async () => (await alertsOf(hash)).length > 0);
      await until(async () => (await traces()).waiting === 0);
      expect(await alertsOf(hash)).toEqual(['drain', 'reentrancy']);
      const [alert] = await vigil.alerts(`txHash:${hash}`);
      expect(alert).toMatchObject({ blockNumber: number, meta: { tracesLateMs: expect.any(Number) } });
      expect(alert!.message).toMatch(/Late: seen .* after its block/);
    },
  );

  it('traces that are too large are given up, and that is reported', async () => {
    node.tracing = 'enormous';
    const { hash, number } = await attack();
    await until(async () => {
      await hurry();
      return (await traces()).givenUp?.last === number;
    });
    node.tracing = 'ok';
    const reason = 'The trace of a transaction is too large, or no node gives it.';
    expect((await traces()).givenUp.reason).toBe(reason);
    expect(await alertsOf(hash)).toEqual([]);
    // An alert of that block says that it is not the whole truth.
    const [{ uid }] = (await vigil.alerts()) as [Json];
    expect((await vigil.ok('GET', `alert/${uid}/outcome`)).unseen).toBeNull();
    await vigil.store.query(
      sql`update alert a set block_number = u.number, block_hash = u.hash from unseen_block u
        where u.number = ${number} and a.uid = ${uid}::uuid`,
    );
    expect((await vigil.ok('GET', `alert/${uid}/outcome`)).unseen).toEqual({
      state: 'given-up',
      reason,
    });
  });

  it('traces of dropped blocks are forgotten', async () => {
    node.tracing = 'failing';
    const { number } = await attack();
    await anvil.reorg(1);
    await anvil.mine();
    await vigil.reached('anvil', number + 1);
    node.tracing = 'ok';
    await hurry();
    await until(async () => (await traces()).waiting === 0);
    expect(await vigil.alerts(`blockNumber:${number}`)).toEqual([]);
  });
});

describe('explain and backtests', () => {
  it('judge by traces, with each of the detectors that need them', async () => {
    const { hash: attacked, number: first } = await attack();
    const [, , someone, recipient, , fresh] = anvil.accounts;
    const router = await anvil.deploy(artifacts.Router);
    const pool = await anvil.deploy(artifacts.ToyPool);
    const created = await router.send(fresh, 'make', encodeDeployment(artifacts.Thief, [vault.address]));
    await vault.send({ from: someone, value: ether }, 'deposit');
    const use = vault.encode('sweep', recipient, 1n);
    const pushed = await pool.send(someone, 'pushAndBack', 500n * ether, 2000n * ether, vault.address, use);
    const expected = {
      reentrancy: attacked,
      drain: attacked,
      suspicious_deployment: created.transactionHash,
      price_manipulation: pushed.transactionHash,
    };
    await Promise.all(
      Object.entries(expected).map(async ([name, txHash]) => {
        const id = await vigil.addDetector(contractId, name);
        const explained = await vigil.ok('POST', `detector/${id}/explain`, { txHash });
        expect(explained, name).toMatchObject({ verdict: 'ALERT', alerts: [{ txHash }] });
        expect(explained.steps.map(({ step }: Json) => step)).not.toContain('trace');
        const tested = await backtest(vigil, id, first, Number(pushed.blockNumber));
        expect(tested, name).toMatchObject({ alerts: 1, faults: 0, samples: [{ txHash }] });
      }),
    );
  });
});

describe('the trace of an alert', () => {
  it('is its call tree by the names and ABIs of the tenant, with what each party gained and lost', async () => {
    const { hash, number } = await attack();
    const [{ uid }] = (await vigil.alerts(`txHash:${hash}`)) as [Json];
    const viewer = await vigil.token(vigil.tenantId, 'tenant-viewer');
    const trace = await vigil.ok('GET', `alert/${uid}/trace`, undefined, { token: viewer });
    const [, , attacker] = anvil.accounts;
    expect(trace).toMatchObject({ chainUid: 'anvil', txHash: hash, blockNumber: number, isReverted: false });
    expect(trace.frames.slice(0, 4)).toMatchObject([
      { position: 0, parent: null, depth: 0, from: attacker.toLowerCase(), to: thief.address, amount: '1' },
      { position: 1, parent: 0, depth: 1, to: vault.address, function: 'deposit()', amount: '1' },
      { position: 2, parent: 0, depth: 1, to: vault.address, function: 'withdraw()', arguments: [] },
      {
        position: 3,
        parent: 2,
        depth: 2,
        type: 'CALL',
        from: vault.address,
        to: thief.address,
        selector: null,
      },
    ]);
    expect(trace.frames[0].function).toBeNull();
    expect(trace.total).toBe(trace.frames.length);
    const stolen = BigInt(trace.changes.find(({ address }: Json) => address === thief.address).value);
    expect(stolen).toBeGreaterThanOrEqual(6n * ether);
    expect(trace.changes).toContainEqual(
      expect.objectContaining({ address: vault.address, value: String(ether - stolen), symbol: 'ETH' }),
    );
    expect(trace.parties).toContainEqual(
      expect.objectContaining({ address: vault.address, type: 'contract', name: 'Vault' }),
    );
    expect(trace).toMatchObject({ leftOut: { before: 0, after: 0, changes: 0 }, note: null });
    const page = await vigil.ok('GET', `alert/${uid}/trace?from=1&size=2`);
    expect(page.frames).toEqual(trace.frames.slice(1, 3));
    expect(page.leftOut).toMatchObject({ before: 1, after: trace.total - 3 });
    expect(page.note).toContain('from=3');
  });

  it('the story of its incident shows where the money went, as the node traced it', async () => {
    const { hash, number } = await attack();
    const [alert] = (await vigil.alerts(`txHash:${hash} AND detectorSchemaName:drain`)) as [Json];
    const found = await vigil.ok('GET', `incident/${alert.incidentUid}/story`);
    const [, , attacker] = anvil.accounts;
    const thiefAddress = thief.address.toLowerCase();
    const taken = found.flows.edges.find(
      ({ from, to }: Json) => from === vault.address.toLowerCase() && to === thiefAddress,
    );
    expect(taken).toMatchObject({ symbol: 'ETH', isReported: false });
    expect(Number(taken.amount)).toBeGreaterThanOrEqual(6);
    expect(found.by).toMatchObject([{ address: attacker.toLowerCase() }]);
    expect(found.lost.losses).toMatchObject([{ symbol: 'ETH', asset: 'native' }]);
    const sides = new Map(found.flows.nodes.map(({ address, side }: Json) => [address, side]));
    expect([sides.get(vault.address.toLowerCase()), sides.get(thiefAddress)]).toEqual(['OURS', 'ATTACKER']);
    expect(found.timeline).toContainEqual(
      expect.objectContaining({ type: 'TRANSACTION', blockNumber: number, isLoss: true }),
    );
  });

  it('the trace of an alert names a piece of an early collection by its id', async () => {
    const [, someone] = anvil.accounts;
    const kitties = await anvil.deploy(artifacts.PlainCollection);
    const watched = await vigil.addContract(kitties.address, { name: 'Kitties' });
    await vigil.addDetector(watched, 'custom_tx');
    await kitties.send(someone, 'give', someone, 554_985n);
    const { transactionHash } = await kitties.send(someone, 'give', vault.address, 554_985n);
    const found = () => vigil.alerts(`txHash:${transactionHash}`);
    await until(async () => (await found()).length > 0);
    const [{ uid }] = (await found()) as [Json];
    const { changes } = await vigil.ok('GET', `alert/${uid}/trace`);
    const piece = { asset: kitties.address, symbol: 'CK', tokenId: '554985' };
    expect(changes).toEqual([
      expect.objectContaining({ ...piece, address: someone.toLowerCase(), amount: '-1' }),
      expect.objectContaining({ ...piece, address: vault.address, amount: '1' }),
    ]);
  });

  it('the trace of an alert of a hundred thousand frames comes in pages, for which the node is asked once', async () => {
    const { hash } = await attack();
    const [{ uid }] = (await vigil.alerts(`txHash:${hash}`)) as [Json];
    const read = (query: string) => vigil.ok('GET', `alert/${uid}/trace?${query}`);
    node.tracing = { payments: 100_000 };
    const asked = node.traced;
    const last = await read('from=99990&size=5000');
    node.tracing = 'failing';
    const { total, changes, leftOut } = last;
    expect(total).toBeGreaterThan(100_000);
    expect(last.frames).toHaveLength(total - 99_990);
    expect(last.frames.at(-1)).toMatchObject({ position: total - 1, parent: 0, depth: 1, value: '1' });
    expect(leftOut).toMatchObject({ before: 99_990, after: 0 });
    expect(changes).toHaveLength(200);
    expect(leftOut.changes).toBeGreaterThan(99_000);
    expect((await read('from=200&size=5000')).frames).toHaveLength(5000);
    expect((await read('from=200000')).frames).toEqual([]);
    expect(node.traced).toBe(asked + 1);
    expect((await vigil.call('GET', `alert/${uid}/trace?size=5001`)).status).toBe(400);
    node.tracing = 'ok';
  });

  it('is refused with the reason', async () => {
    const [first, second, third] = (await vigil.alerts()) as [Json, Json, Json];
    const ask = (uid: string, token = vigil.adminToken) =>
      vigil.call('GET', `alert/${uid}/trace`, undefined, { token });
    const refusal = (status: number, detail: string) => ({
      status,
      body: { detail: expect.stringContaining(detail) },
    });
    const { id } = await vigil.ok('POST', 'tenant', { name: 'Strangers' });
    const stranger = await vigil.token(id, 'tenant-manager');
    expect(await ask(first.uid, stranger)).toMatchObject(refusal(404, 'There is no such alert.'));
    await vigil.store.query(
      sql`update alert set tx_hash = null, tx_hash_bytes = null where uid = ${first.uid}::uuid`,
    );
    expect(await ask(first.uid)).toMatchObject(refusal(409, 'not about a transaction'));
    const gone = `0x${'ab'.repeat(32)}`;
    await vigil.store.query(
      sql`update alert set tx_hash = ${gone}, tx_hash_bytes = null where uid = ${second.uid}::uuid`,
    );
    expect(await ask(second.uid)).toMatchObject(refusal(404, 'no such transaction'));
    node.tracing = 'failing';
    expect(await ask(third.uid)).toMatchObject(refusal(503, 'did not give the trace'));
    node.tracing = 'unknown';
    expect(await ask(third.uid)).toMatchObject(refusal(409, 'POST /chain/anvil/endpoint'));
  });
});

describe('a chain whose node knows trace_block alone', () => {
  it('shows the same attack', async () => {
    await watching.stop();
    const flat = await startTraceProxy(anvil.url);
    flat.tracing = 'only trace_block';
    const other = await startTestWatch({ anvil: { urls: [flat.url] } });
    try {
      const contractId = await other.addContract(vault.address, { name: 'Vault', abi: vault.abi });
      await other.addDetector(contractId, 'reentrancy');
      await other.addDetector(contractId, 'drain');
      other.watch();
      await anvil.mine();
      await other.reached('anvil', Number(await anvil.blockNumber()));
      const [owner, , attacker] = anvil.accounts;
      await vault.send({ from: owner, value: 5n * ether }, 'deposit');
      const { transactionHash } = await thief.send({ from: attacker, value: ether }, 'attack');
      const found = () => other.alerts(`txHash:${transactionHash}`);
      await until(async () => (await found()).length === 2);
      const names = (await found()).map(({ detectorSchemaName }) => detectorSchemaName);
      expect(names).toEqual(expect.arrayContaining(['drain', 'reentrancy']));
      const [{ uid }] = (await found()) as [Json];
      expect((await other.ok('GET', `alert/${uid}/trace`)).frames[2]).toMatchObject({
        depth: 1,
        to: vault.address,
        function: 'withdraw()',
      });
      const kinds = async () => {
        const { data } = await other.ok('GET', 'chain');
        return data.find(({ chainUid }: Json) => chainUid === 'anvil').traces.kinds;
      };
      await until(async () => (await kinds()).length > 0);
      expect(await kinds()).toEqual(['trace']);
    } finally {
      await other.stop();
      await flat.stop();
    }
  });
});

describe('a chain whose nodes do not trace', () => {
  it('says that inner calls are unseen, and is degraded where traces are required', async () => {
    const blind = await startTraceProxy(anvil.url);
    blind.tracing = 'unknown';
    const other = await startTestWatch({ anvil: { urls: [blind.url], traces: 'required' } });
    try {
      const contractId = await other.addContract(vault.address);
      await other.addDetector(contractId, 'drain');
      other.watch();
      const { blockNumber } = await vault.send({ from: anvil.accounts[0], value: ether }, 'deposit');
      await other.reached('anvil', Number(blockNumber));
      const own = async () => {
        const { data } = await other.ok('GET', 'chain');
        return data.find(({ chainUid }: Json) => chainUid === 'anvil');
      };
      await until(async () => (await own()).traces.state === 'unavailable');
      expect(await own()).toMatchObject({
        watchState: 'degraded',
        watchReason: expect.stringMatching(/not seen/),
        traces: { mode: 'required', kinds: [] },
      });
      expect((await own()).traces.waiting).toBeGreaterThan(0);
    } finally {
      await other.stop();
      await blind.stop();
    }
  });
});

describe('a chain whose traces are switched off', () => {
  it('says so wherever inner calls would be seen, and asks no node for them', async () => {
    const other = await startTestWatch({ anvil: { urls: [node.url], traces: 'off' } });
    try {
      const contractId = await other.addContract(vault.address, { abi: vault.abi });
      const detectorId = await other.addDetector(contractId, 'drain');
      await other.addDetector(await other.addContract(thief.address), 'custom_tx', { expression: 'true' });
      other.watch();
      await anvil.mine();
      await other.reached('anvil', Number(await anvil.blockNumber()));
      const asked = node.traced;
      const [owner, , attacker] = anvil.accounts;
      await vault.send({ from: owner, value: 5n * ether }, 'deposit');
      const attacked = await thief.send({ from: attacker, value: ether }, 'attack');
      const [txHash, number] = [attacked.transactionHash, Number(attacked.blockNumber)];
      await other.reached('anvil', number);
      const own = async () => {
        const { data } = await other.ok('GET', 'chain');
        return data.find(({ chainUid }: Json) => chainUid === 'anvil').traces;
      };
      await until(async () => (await own()).mode === 'off');
      expect(await own()).toMatchObject({ state: 'off', reason: expect.stringContaining('switched off') });
      const off = 'Traces of anvil are switched off: the operator sets VIGIL_CHAIN_ANVIL_TRACES=auto.';
      const explained = await other.ok('POST', `detector/${detectorId}/explain`, { txHash });
      expect(explained.verdict).toBe('NO_ALERT');
      expect(explained.steps).toContainEqual({
        step: 'trace',
        text: `Calls within the transaction are not known. ${off}`,
      });
      expect(await backtest(other, detectorId, number, number)).toMatchObject({ alerts: 0, firstFault: off });
      const [{ uid }, ...more] = (await other.alerts(`txHash:${txHash}`)) as [Json];
      expect(more).toEqual([]);
      const trace = () => other.call('GET', `alert/${uid}/trace`);
      expect(await trace()).toMatchObject({ status: 409, body: { detail: off } });
      expect(node.traced).toBe(asked);
      // The same alert on a chain of another family.
      await other.store.query(sql`update alert set chain_uid = 'bitcoin' where uid = ${uid}::uuid`);
      const detail = expect.stringContaining('Nodes of Bitcoin do not trace calls');
      expect(await trace()).toMatchObject({ status: 409, body: { detail } });
    } finally {
      await other.stop();
    }
  });

  it('is no chain of another family: a detector that needs traces is refused there', async () => {
    const { projectId } = vigil;
    const contract = await vigil.ok('POST', 'contract', {
      projectId,
      name: 'Coins',
      chainUid: 'bitcoin',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      addressType: 'WALLET',
    });
    const body = { contractId: contract.id, schemaName: 'drain', name: 'Drain' };
    expect(await vigil.call('POST', 'detector', body)).toMatchObject({
      status: 422,
      body: {
        errors: [{ message: expect.stringMatching(/works on chains of the family evm.*on Bitcoin/) }],
      },
    });
  });
});

describe('traces that take longer to judge than a block', () => {
  it('are evaluated in the end although someone pays the contract in every block meanwhile', async () => {
    const [owner, , recipient] = anvil.accounts;
    const open = await anvil.deploy(artifacts.OpenVault);
    const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 1000n * ether);
    await token.send(owner, 'transfer', open.address, 100n * ether);
    node.tracing = 'ok';
    const other = await startTestWatch({ anvil: { urls: [node.url] } });
    const payer = { isOn: true };
    let paying: Promise<void> | undefined;
    try {
      const id = await other.addContract(open.address);
      await other.addDetector(id, 'drain');
      await other.addDetector(id, 'tvl_drop', { pending: true });
      other.watch();
      await anvil.mine();
      await other.reached('anvil', Number(await anvil.blockNumber()));
      node.slow = { text: token.address.slice(2).toLowerCase(), ms: 1500 };
      const { transactionHash } = await open.send(owner, 'pay', token.address, recipient, 90n * ether);
      paying = (async () => {
        while (payer.isOn) {
          await anvil.send({ from: owner, to: open.address, value: 1n });
          await sleep(200);
        }
      })();
      await until(async () =>
        (await other.alerts(`txHash:${transactionHash}`)).some(
          ({ detectorSchemaName }: Json) => detectorSchemaName === 'drain',
        ),
      );
    } finally {
      payer.isOn = false;
      node.slow = undefined;
      await paying;
      await other.stop();
    }
  });
});

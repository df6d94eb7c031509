import { AbiParameters } from 'ox';
import { expect, it } from 'vitest';
import { eventTopic, functionSelector } from '../../src/codecs/evm/abi.ts';
import { sql } from '../../src/lib/sql.ts';
import type { BlockSpec, TxSpec } from '../../testing/simulator/buildBlock.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import type { SimState } from '../../testing/simulator/handleRpc.ts';
import { RpcError } from '../../testing/simulator/rpcError.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const honest = `0x${'11'.repeat(20)}`;
const noted = 'Noted(string text)';
const smiles = '🙂'.repeat(150);

/** Runs a chain of which the state answers so, with whatever watches it, to its end. */
async function follow(
  state: SimState,
  blocks: readonly BlockSpec[],
  prepare: (vigil: TestWatch) => Promise<void>,
  check: (vigil: TestWatch) => Promise<void>,
): Promise<void> {
  const chain = createSimChain({ chainId: 31337 });
  const simulator = await startSimulator({ chain, state });
  const vigil = await startTestWatch({ anvil: { urls: [simulator.url], startBlock: 1 } }, undefined, {
    readWaitMs: 0,
  });
  try {
    const contractId = await vigil.addContract(honest, { name: 'Honest' });
    await addTrigger(vigil, contractId, 'EVENT_EMITTED', { signature: noted });
    await prepare(vigil);
    vigil.watch();
    chain.extend(blocks);
    await vigil.reached('anvil', chain.head.number);
    expect(vigil.watchLog.filter((line) => line.includes('"level":50'))).toEqual([]);
    await check(vigil);
  } finally {
    await vigil.stop();
    await simulator.stop();
  }
}

async function addTrigger(vigil: TestWatch, contractId: number, triggerType: string, params: object) {
  const alerts = [{ severity: 'HIGH', name: triggerType, message: null }];
  await vigil.ok('POST', 'trigger', { contractId, name: triggerType, triggerType, params, alerts });
}

const note = (text: string): BlockSpec => ({
  logs: [
    {
      address: honest,
      topics: [eventTopic('Noted(string)')],
      data: AbiParameters.encode([{ type: 'string' }], [text]),
    },
  ],
});

const faults = (vigil: TestWatch) =>
  vigil.store.query<{ message: string; count: number }>(
    sql`select message, count from watch_fault order by id`,
  );

it('goes on, with the alerts of everybody else, whatever a contract reverts with and however a node says so', async () => {
  const hostile: readonly (readonly [RpcError, RegExp])[] = [
    [new RpcError(3, 'execution reverted', '0x08c379a0'), /custom error 0x08c379a0/],
    [new RpcError(3, 'execution reverted', '0x4e487b71'), /custom error 0x4e487b71/],
    [new RpcError(3, 'execution reverted', `0x08c379a0${'ff'.repeat(64)}`), /custom error 0x08c379a0/],
    [new RpcError(3, 'execution reverted: rate limit exceeded'), /rate limit exceeded/],
    [new RpcError(-32003, 'EVM error: InvalidJump'), /InvalidJump/],
    [new RpcError(-32000, 'invalid jump destination'), /invalid jump destination/],
    [new RpcError(-32000, 'stack limit reached 1024 (1023)'), /stack limit reached/],
  ];
  const addressOf = (place: number) => `0x${String(place + 50).repeat(20)}`;
  await follow(
    {
      call({ to }) {
        const place = hostile.findIndex((_, n) => addressOf(n) === to);
        if (hostile[place]) throw hostile[place][0];
        return '0x';
      },
    },
    [note('one'), note('two'), note('three'), note('four')],
    async (vigil) => {
      for (const n of hostile.keys()) {
        const contractId = await vigil.addContract(addressOf(n), { name: `Hostile ${n}` });
        await addTrigger(vigil, contractId, 'VIEW_FUNCTION', { signature: 'symbol()(string)' });
      }
    },
    async (vigil) => {
      const messages = (await faults(vigil)).map(({ message }) => message);
      for (const [n, [, reason]] of hostile.entries()) expect(messages[n]).toMatch(reason);
      expect(await vigil.alerts('name:EVENT_EMITTED')).toHaveLength(4);
    },
  );
});

it('lets a single answer that cannot be read cost no one else theirs', async () => {
  const broke = `0x${'22'.repeat(20)}`;
  const sender: TxSpec = { to: broke, gasUsed: -1 };
  await follow(
    { balance: (address) => (address === broke ? -1n : 5n) },
    [{ ...note('one'), txs: [sender] }, note('two'), note('three'), note('four')],
    async (vigil) => {
      const contractId = await vigil.addContract(broke, { name: 'Broken' });
      await addTrigger(vigil, contractId, 'BALANCE_CHANGE', { condition: '> 1' });
      await addTrigger(vigil, contractId, 'SUCCESSFUL_TX', {});
    },
    async (vigil) => {
      const messages = (await faults(vigil)).map(({ message }) => message);
      expect(messages[0]).toContain('the balance that the node sent cannot be read: "0x-1"');
      const [sent] = await vigil.alerts('name:SUCCESSFUL_TX');
      expect(sent!.meta).toMatchObject({
        incomplete: true,
        incompleteReason: expect.stringContaining('the receipt that the node sent cannot be read'),
      });
      expect(await vigil.alerts('name:EVENT_EMITTED')).toHaveLength(4);
    },
  );
});

it('raises the alert of an event, keeps what a trigger remembers and reports a fault whatever characters are in them', async () => {
  const strange = `0x${'33'.repeat(20)}`;
  const texts = ['a\0b', `x${smiles}`, smiles, 'plain'];
  await follow(
    {
      call({ data }, { number }) {
        if (data === functionSelector('bad()')) throw new RpcError(-32000, 'lost\0 in \ud83d');
        return AbiParameters.encode(
          [{ type: 'string' }],
          [`${number}\0${number % 2 ? smiles : `x${smiles}`}`],
        );
      },
    },
    texts.map(note),
    async (vigil) => {
      const contractId = await vigil.addContract(strange, { name: 'Strange' });
      await addTrigger(vigil, contractId, 'VIEW_FUNCTION', { signature: 'title()(string)' });
      await addTrigger(vigil, contractId, 'VIEW_FUNCTION', { signature: 'bad()(string)' });
    },
    async (vigil) => {
      const alerts = await vigil.alerts('name:EVENT_EMITTED');
      expect(alerts.map(({ meta }) => meta.args.text)).toEqual(['a\ufffdb', ...texts.slice(1)]);
      expect(alerts[0]!.message).toContain('Noted(text: a b)');
      for (const { message } of alerts.slice(1)) expect(message).not.toContain('\ufffd');
      expect(await faults(vigil)).toMatchObject([
        // It never got its baseline, and waits for that.
        { message: expect.stringContaining('lost\ufffd in \ufffd'), count: 1 },
      ]);
      const changes = await vigil.alerts('name:VIEW_FUNCTION');
      expect(changes.length).toBeGreaterThan(0);
      const states = await vigil.store.query<{ state: { own?: { value: string } } }>(
        sql`select state from watch_state`,
      );
      const values = states.flatMap(({ state: { own } }) => (own ? [own.value] : []));
      expect(values, JSON.stringify(states)).toEqual([`4\ufffdx${smiles}`]);
      const detectorId = await vigil.addDetector(alerts[0]!.contractId, 'custom_event', { signature: noted });
      const range = { fromBlock: 1, toBlock: 4 };
      const { uid } = await vigil.ok('POST', `detector/${detectorId}/backtest`, range);
      const done = await until(async () => {
        const read = await vigil.ok('GET', `backtest/${uid}`);
        return read.state !== 'QUEUED' && read.state !== 'RUNNING' ? read : undefined;
      });
      expect(done).toMatchObject({ state: 'DONE', processed: 4, result: { alerts: 4 }, fault: null });
      expect(done.result.samples[0].meta.args.text).toBe('a\ufffdb');
    },
  );
});

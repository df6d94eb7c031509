import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const name = 'failed_tx_spike';

let victim: Contract;
beforeAll(async () => {
  victim = await chain.anvil.deploy(artifacts.Victim);
});

const send = (call: string, ...values: unknown[]) => {
  const [, sender] = chain.anvil.accounts;
  return chain.anvil.send({ from: sender, to: victim.address, data: victim.encode(call, ...values) });
};
const fail = async (times: number) => {
  for (let time = 0; time < times; time++) await send('fail', 'no');
};

describe('failed_tx_spike', () => {
  it('reports when the limit of failures is reached, and then restarts the count', async () => {
    const [, sender] = chain.anvil.accounts;
    const observer = await chain.watch(name, { atLeast: 3 }, victim);
    await fail(2);
    await send('ping', 1n, 'fine');
    await send('burnGas', 1n);
    expect(await observer.catchUp()).toEqual([]);
    await fail(1);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'MEDIUM',
        message: `3 of 5 transactions to Watched failed within 5 min, the last one from ${sender}.`,
        meta: { failed: 3, sender, selector: victim.encode('fail', 'no').slice(0, 10) },
      },
    ]);
    await fail(2);
    expect(await observer.catchUp()).toEqual([]);
    await fail(1);
    expect(await observer.catchUp()).toHaveLength(1);
  });

  it('forgets failures that lie outside of the window', async () => {
    const { anvil } = chain;
    const observer = await chain.watch(name, { atLeast: 2, within: '1 min' }, victim);
    await fail(1);
    const start = Number((await anvil.block()).timestamp);
    await anvil.setTime(start + 62);
    await fail(1);
    expect(await observer.catchUp()).toEqual([]);
    await anvil.setTime(start + 119);
    await fail(1);
    expect(await observer.catchUp()).toHaveLength(1);
  });

  it('wants the share of failures where one is given', async () => {
    const observer = await chain.watch(name, { atLeast: 2, share: 50 }, victim);
    for (let time = 0; time < 3; time++) await send('ping', 1n, 'fine');
    await fail(2);
    expect(await observer.catchUp()).toEqual([]);
    await fail(1);
    expect(await observer.catchUp()).toMatchObject([{ meta: { failed: 3, total: 6 } }]);
  });

  it('leaves out what a busy contract always has, unless any share counts', async () => {
    const { anvil } = chain;
    const [, sender] = anvil.accounts;
    const busy = await anvil.deploy(artifacts.Victim);
    const watchers = [await chain.watch(name, {}, busy), await chain.watch(name, { share: 0 }, busy)];
    const call = (...values: [string, ...unknown[]]) => ({
      from: sender,
      to: busy.address,
      data: busy.encode(...values),
    });
    const one = [...Array.from({ length: 4 }, () => call('ping', 1n, 'fine')), call('fail', 'no')];
    // Three windows of what is usual, and then ten and more of fifty.
    for (let window = 0; window < 4; window++) {
      await anvil.increaseTime(301);
      await anvil.sendTogether(one);
    }
    await anvil.increaseTime(301);
    for (let round = 0; round < 11; round++) await anvil.sendTogether(one);
    const [byDefault, ofAny] = await Promise.all(watchers.map((observer) => observer.catchUp()));
    expect(byDefault).toEqual([]);
    expect(ofAny).toMatchObject([{ meta: { failed: expect.any(Number), total: expect.any(Number) } }]);
  });

  it('counts only transactions to the contract itself', async () => {
    const { anvil } = chain;
    const [sender] = anvil.accounts;
    const outer = await anvil.deploy(artifacts.Victim);
    const observer = await chain.watch(name, { atLeast: 1 }, victim);
    const inner = victim.encode('fail', 'no');
    await anvil.send({
      from: sender,
      to: outer.address,
      data: outer.encode('forward', victim.address, inner),
    });
    expect(await observer.catchUp()).toEqual([]);
    await fail(1);
    expect(await observer.catchUp()).toHaveLength(1);
  });

  it('refuses a share above 100', async () => {
    await expect(chain.watch(name, { share: 101 }, victim)).rejects.toThrow('/share must be at most 100');
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { createEvmClient } from '../../src/chains/evm/createEvmClient.ts';
import { encodeCall, parseFunction } from '../../src/codecs/evm/abi.ts';
import type { StateRead } from '../../src/model/stateRead.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

it('asks many calls and balances of a block in one where the well-known contract stands, with the same answers as each alone', async () => {
  const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 24n);
  const balanceOf = parseFunction('balanceOf(address)(uint256)');
  const questions: StateRead[] = [
    ...anvil.accounts.slice(0, 6).map((account): StateRead => {
      return { type: 'call', to: token.address, data: encodeCall(balanceOf, [account]) };
    }),
    { type: 'call', to: token.address, data: encodeCall(parseFunction('burn(uint256)'), [1n]) },
    { type: 'balance', address: anvil.accounts[1] },
  ];
  const ask = async () => {
    const calls = new Map<string, number>();
    const counted = (method: string) => calls.set(method, (calls.get(method) ?? 0) + 1);
    const client = createEvmClient({
      chain: chains.anvil,
      urls: [anvil.url],
      now: Date.now,
      onCall: counted,
    });
    const latest = await client.header('latest');
    const answers = await client.readState(latest!, questions);
    await client.close();
    return {
      answers: [...answers.slice(0, -2), answers.at(-1)],
      last: answers.at(-2),
      calls: calls.get('eth_call'),
      balances: calls.get('eth_getBalance') ?? 0,
    };
  };
  const alone = await ask();
  expect(alone.calls).toBe(7);
  await anvil.deployMulticall();
  await anvil.mine();
  const together = await ask();
  expect(together.calls).toBe(1);
  expect([alone.balances, together.balances]).toEqual([1, 0]);
  expect(together.answers).toEqual(alone.answers);
  for (const { last } of [alone, together])
    expect(last).toMatchObject({ value: { failure: expect.any(String) } });
});

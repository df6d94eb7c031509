import { afterAll, beforeAll, expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { createEvmClient } from '../../src/chains/evm/createEvmClient.ts';
import type { StateRead } from '../../src/model/stateRead.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

/** Puts four bytes into memory and reverts with them. */
const revertWith = (selector: string) => `0x63${selector}60e01b60005260046000fd`;
const programs: readonly (readonly [code: string, reason: RegExp])[] = [
  [revertWith('08c379a0'), /custom error 0x08c379a0/],
  [revertWith('4e487b71'), /custom error 0x4e487b71/],
  ['0x60006000fd', /revert/],
  ['0x600056', /InvalidJump/],
  ['0xfe', /InvalidFEOpcode/],
  ['0x0c', /OpcodeNotFound/],
  ['0x01', /StackUnderflow/],
  ['0x5b600056', /OutOfGas|out of gas/i],
];

it('gets the revert reason of any kind from a real node, alone and together with others', async () => {
  const addressOf = (place: number) => `0x${String(place + 10).repeat(20)}`;
  for (const [n, [code]] of programs.entries()) await anvil.setCode(addressOf(n), code);
  await anvil.mine();
  const questions = programs.map(
    (_, n): StateRead => ({ type: 'call', to: addressOf(n), data: '0x95d89b41' }),
  );
  const ask = async () => {
    const client = createEvmClient({
      chain: chains.anvil,
      urls: [anvil.url],
      now: Date.now,
      onCall: () => {},
    });
    const latest = await client.header('latest');
    const answers = await client.readState(latest!, questions);
    await client.close();
    return answers;
  };
  const alone = await ask();
  for (const [n, [, reason]] of programs.entries())
    expect(alone[n]).toEqual({ value: { failure: expect.stringMatching(reason) } });
  await anvil.deployMulticall();
  await anvil.mine();
  const together = await ask();
  for (const answer of together) expect(answer).toEqual({ value: { failure: expect.any(String) } });
  expect(together.slice(0, 2)).toEqual(alone.slice(0, 2));
});

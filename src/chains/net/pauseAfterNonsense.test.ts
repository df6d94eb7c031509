import { expect, it } from 'vitest';
import { pauseAfterNonsense } from './pauseAfterNonsense.ts';
import { AnswerTooLarge, Nonsense, RpcFailure } from './rpcFailure.ts';

function startNode() {
  let now = 0;
  let asked = 0;
  let failure: Error | undefined = new Nonsense('its answer is not JSON');
  const rpc = pauseAfterNonsense(
    {
      name: 'node',
      async batch() {
        asked++;
        if (failure) throw failure;
        return [{ result: 1 }];
      },
      close: async () => {},
    },
    () => now,
  );
  return {
    /** What it said, and whether the node was asked. */
    async ask(method = 'eth_chainId', calls = 1): Promise<[string, boolean]> {
      const before = asked;
      const said = await Promise.all(
        Array.from({ length: calls }, () =>
          rpc.batch([{ method, params: [] }], 1000).then(
            () => 'right',
            (error: Error) => error.message,
          ),
        ),
      );
      return [said[0]!, asked > before];
    },
    pass(ms: number) {
      now += ms;
    },
    answer(next: Error | undefined) {
      failure = next;
    },
  };
}

it('asks a node that sends nonsense again after ever longer pauses, up to a minute, and says so', async () => {
  const node = startNode();
  const pauses: number[] = [];
  for (let n = 0; n < 10; n++) {
    node.pass(1);
    expect(await node.ask()).toEqual(['its answer is not JSON', true]);
    let pause = 0;
    for (; !(await isAskable()); pause += 1000) node.pass(1000);
    pauses.push(pause / 1000);
  }
  expect(pauses).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);

  async function isAskable(): Promise<boolean> {
    node.answer(undefined);
    const [said, wasAsked] = await node.ask();
    node.answer(new Nonsense('its answer is not JSON'));
    if (!wasAsked) expect(said).toMatch(/^its answer is not JSON; it is not asked again for \d+ s$/);
    return wasAsked;
  }
});

it('counts requests that were under way together once, and forgets a case in each minute', async () => {
  const node = startNode();
  for (let n = 0; n < 2; n++) {
    node.pass(1);
    await node.ask('eth_chainId', 10);
  }
  node.pass(60_000);
  expect(await node.ask()).toEqual(['its answer is not JSON', true]);
  node.pass(1);
  expect(await node.ask()).toEqual(['its answer is not JSON', true]);
  expect((await node.ask())[1]).toBe(false);
});

it('blames no node for a failure of another kind, nor for the size of what a contract answers', async () => {
  const node = startNode();
  for (const [failure, method] of [
    [new RpcFailure('it answered with status 429'), 'eth_chainId'],
    [new AnswerTooLarge('its answer is too large'), 'eth_call'],
    [new AnswerTooLarge('its answer is too large'), 'debug_traceBlockByHash'],
  ] as const) {
    node.answer(failure);
    for (let n = 0; n < 5; n++) {
      node.pass(1);
      expect(await node.ask(method)).toEqual([failure.message, true]);
    }
  }
  node.answer(new AnswerTooLarge('its answer is too large'));
  for (let n = 0; n < 3; n++) {
    node.pass(1);
    await node.ask('eth_getLogs');
  }
  expect((await node.ask('eth_getLogs'))[1]).toBe(false);
});

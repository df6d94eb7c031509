import { createRpc } from '../../src/chains/net/createRpc.ts';

type Order = { url: string; blocks: number };

const inFlight = 8;

/** What cannot be saved: the same blocks fetched over the same kind of connection and parsed, and nothing else. */
process.once('message', (order: Order) => void run(order));

async function run({ url, blocks }: Order): Promise<void> {
  const rpc = createRpc(url);
  const fetch = (number: number) => {
    const tag = `0x${number.toString(16)}`;
    return rpc.batch(
      [
        { method: 'eth_getBlockByNumber', params: [tag, true] },
        { method: 'eth_getLogs', params: [{ fromBlock: tag, toBlock: tag }] },
      ],
      10_000,
    );
  };
  await fetch(1);
  const start = performance.now();
  let next = 1;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next <= blocks) await fetch(next++);
    }),
  );
  const blocksPerSecond = blocks / ((performance.now() - start) / 1000);
  await rpc.close();
  process.send?.({ blocksPerSecond });
  process.disconnect();
}

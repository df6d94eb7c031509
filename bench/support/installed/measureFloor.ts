export type FloorOrder = { url: string; first: number; last: number };
export type Floor = { cpuMs: number; kilobytes: number; blocksPerSecond: number };

const inFlight = 8;

/** The processor time of merely asking for the same blocks and logs and parsing them, with nothing else in the process. */
process.once('message', (order: FloorOrder) => void run(order));

async function run({ url, first, last }: FloorOrder): Promise<void> {
  let bytes = 0;
  let next = first;
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const ask = async () => {
    while (next <= last) {
      const tag = `0x${(next++).toString(16)}`;
      const body = JSON.stringify([
        { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: [tag, true] },
        { jsonrpc: '2.0', id: 2, method: 'eth_getLogs', params: [{ fromBlock: tag, toBlock: tag }] },
      ]);
      const headers = { 'content-type': 'application/json' };
      const text = await (await fetch(url, { method: 'POST', headers, body })).text();
      bytes += text.length;
      JSON.parse(text);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, ask));
  const { user, system } = process.cpuUsage(before);
  const blocks = last - first + 1;
  process.send?.({
    cpuMs: (user + system) / 1000 / blocks,
    kilobytes: bytes / 1000 / blocks,
    blocksPerSecond: blocks / ((performance.now() - startedAt) / 1000),
  } satisfies Floor);
  process.disconnect();
}

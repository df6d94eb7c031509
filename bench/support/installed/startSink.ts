import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Receives webhooks; `arrived` has the first arrival of each block's message. */
export async function startSink() {
  const arrived = new Map<number, number>();
  const kinds = new Set<string>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const at = Date.now();
      response.end();
      const text = Buffer.concat(pieces).toString();
      for (const [, number] of text.matchAll(/"blockNumber":(\d+)/g))
        if (!arrived.has(Number(number))) arrived.set(Number(number), at);
      kinds.add(/"type":"([^"]+)"/.exec(text)?.[1] ?? '');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrived,
    kinds,
    /** Waits for the messages of these blocks; the number of those that did not come. */
    async waitFor(first: number, last: number, limitMs: number): Promise<number> {
      const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      const missing = () => numbers.filter((number) => !arrived.has(number)).length;
      const endsAt = Date.now() + limitMs;
      while (missing() > 0 && Date.now() < endsAt) await sleep(20);
      return missing();
    },
    close: () => server.close(),
  };
}

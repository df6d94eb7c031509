import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { LargeFigures, LargeOrder } from './readLargeTrace.ts';

const sender = `0x${'11'.repeat(20)}`;
const vault = `0x${'22'.repeat(20)}`;
const wanted = 60_000_000;
/** Small, and yet all of them together are more than the vault is said to hold after it. */
const microether = 10n ** 12n;

/** One transaction whose trace has 60 MB: the watched vault is entered again and pays a stranger in each of its calls. */
export async function measureLargeTrace(): Promise<LargeFigures & { megabytes: number }> {
  const body = largeTrace();
  const server = createServer((request, response) => {
    void text(request).then(() => response.setHeader('content-type', 'application/json').end(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const child = fork(fileURLToPath(new URL('./readLargeTrace.js', import.meta.url)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  child.send({ url, sender, vault } satisfies LargeOrder);
  const [figures] = (await once(child, 'message')) as [LargeFigures];
  child.disconnect();
  server.closeAllConnections();
  server.close();
  return { ...figures, megabytes: body.length / 1e6 };
}

function largeTrace(): Buffer {
  const calls: string[] = [];
  for (let n = 1, length = 0; length < wanted; n++) {
    const stranger = `0x${(n * 7919).toString(16).padStart(40, '0')}`;
    const within = call(stranger, vault, '0x0', `,"calls":[]`);
    calls.push(call(vault, stranger, `0x${(BigInt(n) * microether).toString(16)}`, `,"calls":[${within}]`));
    length += calls.at(-1)!.length;
  }
  const root = call(sender, vault, '0x0', `,"calls":[${calls.join(',')}]`);
  return Buffer.from(`{"jsonrpc":"2.0","id":0,"result":[{"txHash":"0x01","result":${root}}]}`);
}

function call(from: string, to: string, value: string, more: string): string {
  const input = `0x2e1a7d4d${value.slice(2).padStart(64, '0')}`;
  return `{"from":"${from}","gas":"0x4c4b40","gasUsed":"0x1d4c0","to":"${to}","input":"${input}","output":"0x${'0'.repeat(64)}","value":"${value}","type":"CALL"${more}}`;
}

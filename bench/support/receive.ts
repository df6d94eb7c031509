import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** When each alert arrived first, by its uid. */
export type Arrivals = { times: Record<string, number> };

const times = new Map<string, number>();
let wanted: number | undefined;

/** A receiver of webhooks in a process of its own: `/ok…` answers at once, anything else never. */
const server = createServer((request, response) => {
  if (!request.url?.startsWith('/ok')) return;
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { data } = JSON.parse(Buffer.concat(pieces).toString()) as { data: { uid: string } };
    if (!times.has(data.uid)) times.set(data.uid, Date.now());
    response.writeHead(204).end();
    tell();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

process.on('message', ({ count }: { count: number }) => {
  wanted = count;
  tell();
});

function tell(): void {
  if (wanted === undefined || times.size < wanted) return;
  wanted = undefined;
  process.send?.({ times: Object.fromEntries(times) } satisfies Arrivals);
}

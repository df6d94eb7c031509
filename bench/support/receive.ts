import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long after its alert each message came first, in ms, of those that nobody was told of yet. */
export type Arrivals = { delays: number[] };

type Body = { data: { uid: string; timestamp: number } };

const seen = new Set<string>();
let delays: number[] = [];
let wanted: number | undefined;

/** A receiver of webhooks in a process of its own: `/ok…` answers at once, anything else never. */
const server = createServer((request, response) => {
  if (!request.url?.startsWith('/ok')) return;
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { data } = JSON.parse(Buffer.concat(pieces).toString()) as Body;
    if (!seen.has(data.uid)) delays.push(Date.now() - data.timestamp);
    seen.add(data.uid);
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
  if (wanted === undefined || delays.length < wanted) return;
  wanted = undefined;
  process.send?.({ delays } satisfies Arrivals);
  delays = [];
}
